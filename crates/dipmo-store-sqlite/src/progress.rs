//! How far intents are, and which of them ended and want to be answered.

use std::collections::BTreeMap;

use dipmo_domain::{Failure, OutboxId, ProcessKey, RecordKey, StoreError};
use dipmo_outbox::UnitResult;
use dipmo_store::{FailedUnit, IntentEnd};

use crate::settle_units::Unit;
use crate::tx::Tx;
use crate::{rows, sql};

/// How many failures an answer tells.
const MOST_FAILURES: u32 = 1_000;

/// Counts the units that ended; answers the intents that did, and want to be answered.
pub(crate) fn count(tx: &Tx<'_>, units: &[Unit]) -> Result<Vec<IntentEnd>, StoreError> {
    let mut ends = Vec::new();
    let mut of_records: BTreeMap<OutboxId, Ended<'_>> = BTreeMap::new();
    for unit in units {
        let failure = match &unit.result {
            UnitResult::Dispatched { .. } => None,
            UnitResult::Failed { failure, .. } => Some(failure),
            UnitResult::Retry { .. }
            | UnitResult::Unanswered { .. }
            | UnitResult::Held
            | UnitResult::Later
            | UnitResult::InJob(_) => continue,
        };
        if unit.of_records {
            let ended = of_records.entry(unit.intent).or_default();
            ended.reply_to = unit.reply_to.as_ref();
            *(if failure.is_none() { &mut ended.dispatched } else { &mut ended.failed }) += 1;
        } else if let Some(reply_to) = &unit.reply_to {
            ends.push(alone(unit, reply_to, failure));
        }
    }
    for (intent, ended) in of_records {
        ends.extend(add(tx, intent, &ended)?);
    }
    ends.sort_by_key(|end| end.intent);
    Ok(ends)
}

/// Units of one intent that ended in this settlement.
#[derive(Default)]
struct Ended<'a> {
    dispatched: u32,
    failed: u32,
    reply_to: Option<&'a ProcessKey>,
}

/// The end of an intent without records.
fn alone(unit: &Unit, reply_to: &ProcessKey, failure: Option<&Failure>) -> IntentEnd {
    let failures: Vec<_> = failure
        .map(|failure| FailedUnit { record: None, failure: failure.clone() })
        .into_iter()
        .collect();
    let failed = u64::from(failure.is_some());
    IntentEnd {
        intent: unit.intent,
        reply_to: reply_to.clone(),
        dispatched: 1 - failed,
        failed,
        failures,
        retried: unit.retried(),
    }
}

/// Counts records of an intent; its end when they were the last ones.
fn add(tx: &Tx<'_>, intent: OutboxId, units: &Ended<'_>) -> Result<Option<IntentEnd>, StoreError> {
    let params = (intent.0, units.dispatched, units.failed);
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let counted: Option<(u64, u64, u64, u32)> = tx.one(&sql::progress_add(), params, read)?;
    let ended = counted.filter(|(total, ok, bad, _)| ok + bad == *total);
    let Some((_, dispatched, failed, retried)) = ended else {
        return Ok(None);
    };
    let Some(reply_to) = units.reply_to.cloned() else { return Ok(None) };
    let failures = failures(tx, intent)?;
    Ok(Some(IntentEnd { intent, reply_to, dispatched, failed, failures, retried }))
}

fn failures(tx: &Tx<'_>, intent: OutboxId) -> Result<Vec<FailedUnit>, StoreError> {
    let found = tx.all(&sql::intent_failures(), (intent.0, MOST_FAILURES), |row| {
        let record = Some(RecordKey(row.get(0)?));
        Ok(rows::failure(row, 1)?.map(|failure| FailedUnit { record, failure }))
    })?;
    Ok(found.into_iter().flatten().collect())
}
