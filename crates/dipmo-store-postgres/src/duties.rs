//! What one instance does for all of them.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp, cut_to_bytes};
use dipmo_store::admin::{AuditEntry, Duties, DutyLease, DutyRow};
use tokio_postgres::Row;

use crate::sql::{self, Call, params};
use crate::store::PostgresStore;
use crate::types::PgTime;
use crate::{audit, rows};

/// The longest trouble that is kept, in bytes.
const TROUBLE: usize = 2_000;

#[async_trait]
impl Duties for PostgresStore {
    async fn take_duty(
        &self,
        duty: &str,
        owner: &str,
        duration: Duration,
    ) -> Result<Option<DutyLease>, StoreError> {
        let params = params![duty.to_owned(), owner.to_owned(), micros(duration)];
        let rows = self.look(sql::duty_take().with(params)).await?;
        let lease = |row: &Row| DutyLease { duty: duty.to_owned(), epoch: row.get(0) };
        Ok(rows.first().map(lease))
    }

    async fn renew_duty(
        &self,
        lease: &DutyLease,
        duration: Duration,
    ) -> Result<DutyRow, StoreError> {
        let params = params![lease.duty.clone(), lease.epoch, micros(duration)];
        let rows = self.look(sql::duty_renew().with(params)).await?;
        rows.first().map(duty_row).ok_or_else(|| fenced(lease))
    }

    async fn give_back_duty(&self, lease: &DutyLease) -> Result<(), StoreError> {
        let params = params![lease.duty.clone(), lease.epoch];
        self.look(sql::duty_give_back().with(params)).await.map(drop)
    }

    async fn end_round(
        &self,
        lease: &DutyLease,
        asked: Option<Timestamp>,
        trouble: Option<&str>,
    ) -> Result<(), StoreError> {
        let trouble = trouble.map(|text| cut_to_bytes(text, TROUBLE));
        let params = params![lease.duty.clone(), lease.epoch, asked.map(PgTime), trouble];
        let rows = self.look(sql::duty_end_round().with(params)).await?;
        if rows.is_empty() { Err(fenced(lease)) } else { Ok(()) }
    }

    async fn ask_duty(&self, duty: &str, entry: &AuditEntry) -> Result<DutyRow, StoreError> {
        let calls = vec![
            sql::begin().call(),
            sql::duty_ask().with(params![duty.to_owned()]),
            audit::insert(entry),
            sql::commit().call(),
        ];
        let answers = self.report().await?.run(calls).await?;
        Ok(duty_row(&answers[1][0]))
    }

    async fn duty(&self, duty: &str) -> Result<DutyRow, StoreError> {
        let rows = self.look(sql::duty_find().with(params![duty.to_owned()])).await?;
        let nobody = || DutyRow {
            duty: duty.to_owned(),
            owner: None,
            lease_until: None,
            asked_at: None,
            trouble: None,
        };
        Ok(rows.first().map_or_else(nobody, duty_row))
    }
}

/// The statement that fails unless a lease is still ours, and keeps it so until the transaction ends.
pub(crate) fn check(lease: &DutyLease) -> Call {
    sql::duty_check().with(params![lease.duty.clone(), lease.epoch])
}

/// A time span as statements take it.
pub(crate) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

fn fenced(lease: &DutyLease) -> StoreError {
    StoreError::Fenced { what: format!("the duty {}", lease.duty) }
}

fn duty_row(row: &Row) -> DutyRow {
    DutyRow {
        duty: row.get(0),
        owner: row.get(1),
        lease_until: rows::time(row, 2),
        asked_at: rows::time(row, 3),
        trouble: row.get(4),
    }
}
