//! Counting the units of an intent that have ended, until it has ended itself.

use dipmo_domain::{OutboxId, OutboxStatus};
use dipmo_outbox::UnitResult;
use dipmo_store::{FailedUnit, IntentEnd};

use crate::outbox::{OutboxTables, Tally};

/// How many failures an answer carries.
const MOST_FAILURES: usize = 1_000;

/// Counts a unit that was settled; answers its intent when that was the last one and somebody
/// wants to hear of it.
pub(crate) fn count_ended(
    outbox: &mut OutboxTables,
    unit: OutboxId,
    result: &UnitResult,
) -> Option<IntentEnd> {
    let intent = outbox.units.get(&unit)?.intent;
    let mut tally = outbox.tallies.get(&intent).copied().unwrap_or_default();
    match result {
        UnitResult::Dispatched { .. } => tally.dispatched += 1,
        UnitResult::Failed { .. } => tally.failed += 1,
        UnitResult::Retry { .. }
        | UnitResult::Unanswered { .. }
        | UnitResult::Held
        | UnitResult::Later
        | UnitResult::InJob(_) => return None,
    }
    outbox.tallies.insert_mut(intent, tally);
    let row = outbox.log.get(&intent)?;
    let units = row.intent.records.len().max(1);
    if tally.dispatched + tally.failed < u64::try_from(units).unwrap_or(u64::MAX) {
        return None;
    }
    let reply_to = row.intent.reply_to.clone()?;
    let Tally { dispatched, failed, retried } = tally;
    let failures = failures(outbox, intent);
    Some(IntentEnd { intent, reply_to, dispatched, failed, failures, retried })
}

fn failures(outbox: &OutboxTables, intent: OutboxId) -> Vec<FailedUnit> {
    let failed = outbox.units_of(intent).filter_map(|(id, unit)| {
        let row = outbox.exceptions.get(id)?;
        let failure = row.failure.clone().filter(|_| row.columns.status == OutboxStatus::Failed)?;
        Some(FailedUnit { record: unit.record.clone(), failure })
    });
    failed.take(MOST_FAILURES).collect()
}
