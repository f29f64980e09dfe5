//! Who went on without earlier ones of its key that failed.

use dipmo_domain::{OrderKey, StoreError};

use crate::sql::{self, Which};
use crate::tx::Tx;

/// A message that was processed.
#[derive(Debug)]
pub(crate) struct WentOn {
    pub(crate) key: OrderKey,
    pub(crate) id: i64,
    pub(crate) source_system: String,
    pub(crate) source_version: Option<i64>,
}

/// Notes it for messages that failed. Mostly nothing did, and then nothing is looked for.
pub(crate) fn by_messages(tx: &Tx<'_>, mut went_on: Vec<WentOn>) -> Result<(), StoreError> {
    if went_on.is_empty() || !anything_failed(tx, Which::Inbox)? {
        return Ok(());
    }
    // The first of each key counts.
    went_on.sort_unstable_by_key(|it| it.id);
    let overtake = sql::message_overtake();
    went_on.iter().try_for_each(|WentOn { key, id, source_system, source_version }| {
        tx.run(&overtake, (key.as_str(), id, source_system, source_version)).map(drop)
    })
}

/// The same for units: queue, key and id of those that were dispatched.
pub(crate) fn by_units(
    tx: &Tx<'_>,
    mut went_on: Vec<(&str, &OrderKey, i64)>,
) -> Result<(), StoreError> {
    if went_on.is_empty() || !anything_failed(tx, Which::Outbox)? {
        return Ok(());
    }
    went_on.sort_unstable_by_key(|(_, _, id)| *id);
    let overtake = sql::unit_overtake();
    went_on
        .iter()
        .try_for_each(|(queue, key, id)| tx.run(&overtake, (queue, key.as_str(), id)).map(drop))
}

fn anything_failed(tx: &Tx<'_>, which: Which) -> Result<bool, StoreError> {
    Ok(tx.one(&sql::failed_any(which), (), |_| Ok(()))?.is_some())
}
