//! The outbox as a dispatcher sees it: leases, reads, and the way back.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{Delivery, Epoch, Lease, Owner};
use dipmo_store::{Dispatch, LeaseParams, ReadParams, Settle, SettleReport, Side};
use tokio_postgres::Row;

use crate::exception::micros;
use crate::session::Session;
use crate::sql::{self, Which, params};
use crate::store::PostgresStore;
use crate::{deliveries, outbox_settle, rows};

#[async_trait]
impl Dispatch for PostgresStore {
    async fn due_destinations(&self) -> Result<Vec<Destination>, StoreError> {
        let answers = self.hot().await?.run(vec![sql::due_destinations().call()]).await?;
        answers[0].iter().map(|row| destination(row.get(0))).collect()
    }

    async fn lease(&self, wanted: &LeaseParams) -> Result<Vec<Lease>, StoreError> {
        let call = sql::lease_take().with(params![
            wanted.owner.0.clone(),
            wanted.destination.to_string(),
            micros(wanted.duration),
            i64::from(wanted.lanes),
        ]);
        let answers = self.hot().await?.run(vec![call]).await?;
        answers[0].iter().map(|row| lease(&wanted.destination, row, 0)).collect()
    }

    async fn renew(
        &self,
        owner: &Owner,
        leases: &[Lease],
        duration: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        let (destinations, lanes, epochs) = columns(leases);
        let call = sql::lease_renew().with(params![
            owner.0.clone(),
            destinations,
            lanes,
            epochs,
            micros(duration)
        ]);
        let answers = self.hot().await?.run(vec![call]).await?;
        answers[0].iter().map(|row| lease(&destination(row.get(0))?, row, 1)).collect()
    }

    async fn give_back(&self, owner: &Owner, leases: &[Lease]) -> Result<(), StoreError> {
        let (destinations, lanes, epochs) = columns(leases);
        let call =
            sql::lease_give_back().with(params![owner.0.clone(), destinations, lanes, epochs]);
        self.hot().await?.run(vec![call]).await.map(|_| ())
    }

    async fn read(&self, wanted: ReadParams<'_>) -> Result<Vec<Delivery>, StoreError> {
        deliveries::read(self.hot().await?, wanted).await
    }

    async fn settle(&self, settle: Settle<'_>) -> Result<SettleReport, StoreError> {
        let mut session = self.hot().await?;
        let settled = outbox_settle::run(&mut session, settle).await;
        let report = session.finish(settled).await?;
        self.waking(Side::Inbox, report.messages);
        Ok(report)
    }

    async fn release_units(&self, limit: u32) -> Result<usize, StoreError> {
        let mut session = self.hot().await?;
        loop {
            match release_lane(&mut session, limit).await? {
                Some(0) if limit > 0 => {}
                let_go => return Ok(self.waking(Side::Outbox, let_go.unwrap_or(0))),
            }
        }
    }
}

/// Lets go what is held in one lane, a free one if there is one; `None` when no lane has any.
async fn release_lane(session: &mut Session, limit: u32) -> Result<Option<usize>, StoreError> {
    let free = vec![sql::begin().call(), sql::unit_lane_lock_ended().call()];
    let mut locked = session.run(free).await?.remove(1);
    if locked.is_empty() {
        locked = session.run(vec![sql::unit_lane_wait_ended().call()]).await?.remove(0);
    }
    if locked.is_empty() {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok(None);
    }
    let (destinations, lanes): (Vec<String>, Vec<i16>) =
        locked.iter().map(|row| (row.get::<_, String>(0), row.get::<_, i16>(1))).unzip();
    let most = i64::from(limit);
    let answers = session
        .run(vec![
            sql::outbox_release().with(params![destinations.clone(), lanes.clone(), most]),
            sql::block_lift(Which::Outbox).with(params![destinations, lanes]),
            sql::commit().call(),
        ])
        .await?;
    Ok(Some(usize::try_from(answers[0][0].get::<_, i64>(0)).unwrap_or(0)))
}

/// Destinations, lanes and epochs of leases, as the statements take them.
pub(crate) fn columns(leases: &[Lease]) -> (Vec<String>, Vec<i16>, Vec<i64>) {
    let destinations = leases.iter().map(|lease| lease.destination.to_string()).collect();
    let lanes = leases.iter().map(|lease| i16::from(lease.lane.index())).collect();
    (destinations, lanes, leases.iter().map(|lease| lease.epoch.0).collect())
}

/// A destination as it was stored.
pub(crate) fn destination(text: &str) -> Result<Destination, StoreError> {
    text.parse().map_err(|error: dipmo_domain::DestinationError| {
        rows::unreadable("DESTINATION", &error.to_string())
    })
}

fn lease(destination: &Destination, row: &Row, at: usize) -> Result<Lease, StoreError> {
    Ok(Lease {
        destination: destination.clone(),
        lane: rows::lane(row.get(at))?,
        epoch: Epoch(row.get(at + 1)),
    })
}
