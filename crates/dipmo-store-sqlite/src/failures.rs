//! Groups of what failed alike.
//!
//! **Invariant:** a group is there before a row counts in it. The counts are kept by triggers on the rows, so
//! that history and operators move them as well; nothing here adds to them.

use async_trait::async_trait;
use dipmo_domain::{ErrorStage, Failure, Fingerprint, StoreError, Timestamp};
use dipmo_store::admin::{FailureGroup, Failures};
use rusqlite::Row;

use crate::history::as_count;
use crate::sql::{self, Which};
use crate::tx::Tx;
use crate::{SqliteStore, rows};

#[async_trait]
impl Failures for SqliteStore {
    async fn failure_groups(&self, limit: u32) -> Result<Vec<FailureGroup>, StoreError> {
        self.read(move |tx| tx.all(&sql::failure_groups(), [limit], group)).await
    }

    /// There is one writer, who changes the rows of the groups themselves: nothing is left to put together.
    async fn fold_failures(&self, _limit: u32) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn forget_failures(&self, before: Timestamp) -> Result<u64, StoreError> {
        let forget = move |tx: &mut Tx<'_>| tx.run(&sql::failure_forget(), [before.as_micros()]);
        Ok(as_count(self.write(forget).await?))
    }
}

/// Notes that a message or unit failed; answers its group.
pub(crate) fn see(
    tx: &Tx<'_>,
    which: Which,
    id: i64,
    stage: Option<ErrorStage>,
    failure: &Failure,
) -> Result<Fingerprint, StoreError> {
    let fingerprint = Fingerprint::of(which.name(), stage, failure);
    let stage = stage.map(ErrorStage::as_str);
    let now = tx.now().as_micros();
    let params = (fingerprint.0, which.name(), stage, failure.code(), failure.pattern(), now, id);
    tx.run(&sql::failure_see(), params)?;
    Ok(fingerprint)
}

fn group(row: &Row<'_>) -> rusqlite::Result<FailureGroup> {
    Ok(FailureGroup {
        fingerprint: Fingerprint(row.get(0)?),
        side: rows::parsed(row, 1)?,
        stage: rows::maybe_parsed(row, 2)?,
        code: row.get(3)?,
        pattern: row.get(4)?,
        failed: row.get(5)?,
        retrying: row.get(6)?,
        first_seen: rows::time(row, 7)?,
        last_seen: rows::time(row, 8)?,
        sample: row.get(9)?,
    })
}
