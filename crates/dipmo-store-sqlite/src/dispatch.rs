//! The port of the outbox dispatcher.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, StoreError};
use dipmo_inbox::{NewMessage, Stored};
use dipmo_outbox::{Delivery, Lease, Owner};
use dipmo_store::{Dispatch, LeaseParams, ReadParams, Replies, Settle, SettleReport};

use crate::releases::{self, Endings};
use crate::settle_units::{self, Unit};
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::work::as_usize;
use crate::{SqliteStore, deliveries, fencing, leases, messages, progress, rows};

#[async_trait]
impl Dispatch for SqliteStore {
    async fn due_destinations(&self) -> Result<Vec<Destination>, StoreError> {
        self.read(|tx| {
            let now = tx.now().as_micros();
            tx.all(&sql::due_destinations(), [now], |row| rows::parsed(row, 0))
        })
        .await
    }

    async fn lease(&self, params: &LeaseParams) -> Result<Vec<Lease>, StoreError> {
        let params = params.clone();
        self.write(move |tx| leases::take(tx, &params)).await
    }

    async fn renew(
        &self,
        owner: &Owner,
        leases: &[Lease],
        duration: Duration,
    ) -> Result<Vec<Lease>, StoreError> {
        let (owner, leases) = (owner.clone(), leases.to_vec());
        self.write(move |tx| leases::renew(tx, &owner, leases, duration)).await
    }

    async fn give_back(&self, owner: &Owner, leases: &[Lease]) -> Result<(), StoreError> {
        let (owner, leases) = (owner.clone(), leases.to_vec());
        self.write(move |tx| leases::give_back(tx, &owner, &leases)).await
    }

    async fn read(&self, params: ReadParams<'_>) -> Result<Vec<Delivery>, StoreError> {
        let (leases, in_flight) = (params.leases.to_vec(), params.in_flight.to_vec());
        let limit = as_usize(params.units);
        SqliteStore::read(self, move |tx| deliveries::read(tx, &leases, &in_flight, limit)).await
    }

    async fn settle(&self, settle: Settle<'_>) -> Result<SettleReport, StoreError> {
        let work = Work {
            leases: settle.leases.to_vec(),
            units: settle.units.iter().map(Unit::from).collect(),
            messages: settle.messages.to_vec(),
            replies: settle.replies,
        };
        self.write(move |tx| work.run(tx)).await
    }

    async fn release_units(&self, limit: u32) -> Result<usize, StoreError> {
        self.write(move |tx| releases::release(tx, Which::Outbox, as_usize(limit))).await
    }
}

/// One settlement, without its borrows.
struct Work {
    leases: Vec<Lease>,
    units: Vec<Unit>,
    messages: Vec<NewMessage>,
    replies: Replies,
}

impl Work {
    fn run(mut self, tx: &Tx<'_>) -> Result<SettleReport, StoreError> {
        fencing::check(tx, &self.leases, &mut self.units)?;
        let mut endings = Endings::new(Which::Outbox);
        settle_units::write(tx, &self.units, &mut endings)?;
        settle_units::overtake(tx, &self.units)?;
        let ends = progress::count(tx, &self.units)?;
        if !ends.is_empty() {
            self.messages.extend((self.replies)(&ends));
        }
        let stored = messages::store(tx, &self.messages)?;
        Ok(SettleReport {
            units: self.units.len(),
            messages: stored.iter().filter(|answer| matches!(answer, Stored::New(_))).count(),
            releasing: endings.apply(tx)?,
            at: tx.now(),
        })
    }
}
