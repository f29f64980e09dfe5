//! What one instance does for all of them.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp, cut_to_bytes};
use dipmo_store::admin::{AuditEntry, Duties, DutyLease, DutyRow};
use rusqlite::Row;

use crate::tx::Tx;
use crate::{SqliteStore, audit, rows, sql};

/// The longest trouble that is kept, in bytes.
const TROUBLE: usize = 2_000;

#[async_trait]
impl Duties for SqliteStore {
    async fn take_duty(
        &self,
        duty: &str,
        owner: &str,
        duration: Duration,
    ) -> Result<Option<DutyLease>, StoreError> {
        let (duty, owner) = (duty.to_owned(), owner.to_owned());
        self.write(move |tx| {
            let (now, until) = (tx.now().as_micros(), tx.now().after(duration).as_micros());
            let params = (&duty, owner, now, until);
            let epoch = tx.one(&sql::duty_take(), params, |row| row.get(0))?;
            Ok(epoch.map(|epoch| DutyLease { duty, epoch }))
        })
        .await
    }

    async fn renew_duty(
        &self,
        lease: &DutyLease,
        duration: Duration,
    ) -> Result<DutyRow, StoreError> {
        let lease = lease.clone();
        self.write(move |tx| {
            let until = tx.now().after(duration).as_micros();
            let renewed = tx.run(&sql::duty_renew(), (&lease.duty, lease.epoch, until))?;
            if renewed == 0 { Err(fenced(&lease)) } else { find(tx, lease.duty) }
        })
        .await
    }

    async fn give_back_duty(&self, lease: &DutyLease) -> Result<(), StoreError> {
        let DutyLease { duty, epoch } = lease.clone();
        self.write(move |tx| tx.run(&sql::duty_give_back(), (duty, epoch)).map(drop)).await
    }

    async fn end_round(
        &self,
        lease: &DutyLease,
        asked: Option<Timestamp>,
        trouble: Option<&str>,
    ) -> Result<(), StoreError> {
        let lease = lease.clone();
        let trouble = trouble.map(|text| cut_to_bytes(text, TROUBLE));
        self.write(move |tx| {
            let asked = asked.map(Timestamp::as_micros);
            let params = (&lease.duty, lease.epoch, asked, trouble);
            let ended = tx.run(&sql::duty_end_round(), params)?;
            if ended == 0 { Err(fenced(&lease)) } else { Ok(()) }
        })
        .await
    }

    async fn ask_duty(&self, duty: &str, entry: &AuditEntry) -> Result<DutyRow, StoreError> {
        let (duty, entry) = (duty.to_owned(), entry.clone());
        self.write(move |tx| {
            tx.run(&sql::duty_ask(), (&duty, tx.now().as_micros()))?;
            audit::write(tx, &entry)?;
            find(tx, duty)
        })
        .await
    }

    async fn duty(&self, duty: &str) -> Result<DutyRow, StoreError> {
        let duty = duty.to_owned();
        self.read(move |tx| find(tx, duty)).await
    }
}

/// Fails unless the lease is still ours. There is one writer: it stays ours until the transaction ends.
pub(crate) fn check(tx: &Tx<'_>, lease: &DutyLease) -> Result<(), StoreError> {
    let held = tx.one(&sql::duty_check(), (&lease.duty, lease.epoch), |_| Ok(()))?;
    held.ok_or_else(|| fenced(lease))
}

fn fenced(lease: &DutyLease) -> StoreError {
    StoreError::Fenced { what: format!("the duty {}", lease.duty) }
}

fn find(tx: &Tx<'_>, duty: String) -> Result<DutyRow, StoreError> {
    let found = tx.one(&sql::duty_find(), [&duty], row)?;
    let nobody = DutyRow { duty, owner: None, lease_until: None, asked_at: None, trouble: None };
    Ok(found.unwrap_or(nobody))
}

fn row(row: &Row<'_>) -> rusqlite::Result<DutyRow> {
    Ok(DutyRow {
        duty: row.get(0)?,
        owner: row.get(1)?,
        lease_until: rows::maybe_time(row, 2)?,
        asked_at: rows::maybe_time(row, 3)?,
        trouble: row.get(4)?,
    })
}
