//! Ids of the logs, the newest first.

use dipmo_domain::{Lane, StoreError};

use super::aside::Aside;
use crate::listing::Range;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// Ids of a log; in the outbox those of intents and records.
pub(super) fn all(
    tx: &Tx<'_>,
    which: Which,
    range: Range,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let params = (range.from, range.before, limit);
    let mut ids: Vec<i64> = tx.all(&sql::log_ids(which), params, |row| row.get(0))?;
    if which == Which::Outbox {
        ids.extend(tx.all(&sql::record_ids(), params, |row| row.get::<_, i64>(0))?);
    }
    Ok(newest(ids, limit))
}

/// Ids of what is ready, among others, and of what stands aside with one of these statuses. Behind the oldest that
/// is ready there is only the latter.
pub(super) fn open(
    tx: &Tx<'_>,
    which: Which,
    statuses: &[&'static str],
    range: Range,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let oldest = match which {
        Which::Inbox => tx.one(&sql::message_ready_from(), [Lane::COUNT], |row| row.get(0))?,
        Which::Outbox => tx.one(&sql::unit_ready_from(), (), |row| row.get(0))?,
    };
    let oldest: i64 = oldest.flatten().unwrap_or(i64::MAX);
    let mut ids = all(tx, which, range.above(oldest), limit)?;
    let behind = range.below(oldest);
    ids.extend(Aside::Statuses(statuses.to_vec()).ids(tx, which, behind, limit - ids.len())?);
    Ok(ids)
}

/// The newest of some ids, each once.
pub(super) fn newest(mut ids: Vec<i64>, limit: usize) -> Vec<i64> {
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.dedup();
    ids.truncate(limit);
    ids
}
