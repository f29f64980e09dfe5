//! The life of a batch: claim, then read, decide and write in waves.

use dipmo_domain::StoreError;
use dipmo_store::{
    BatchLogic, BatchReport, Changes, ClaimLimits, ClaimedBatch, Found, Needs, Tables,
};

use crate::handler;
use crate::intents;
use crate::options::SqliteOptions;
use crate::tx::Tx;
use crate::unsettled::Unsettled;
use crate::{claim, domain, reads, sql, states, timers};

/// Runs a batch in a transaction that the caller commits.
pub(crate) fn run(
    tx: &mut Tx<'_>,
    options: &SqliteOptions,
    tables: &Tables,
    limits: &ClaimLimits,
    logic: &mut dyn BatchLogic,
) -> Result<BatchReport, StoreError> {
    let lanes = claim::lanes(tx, limits)?;
    let claims = claim::take(tx, &lanes, limits.messages)?;
    if claims.is_empty() {
        return Ok(BatchReport::default());
    }
    let mut unsettled = Unsettled::of(&claims);
    let messages: Vec<_> = claims.into_iter().map(|claim| claim.message).collect();
    let mut report = BatchReport { lanes, messages: messages.len(), ..BatchReport::default() };
    logic.claimed(ClaimedBatch { now: tx.now(), messages });
    let mut intents = intents::Writer::default();
    while let Some(needs) = logic.needs() {
        let found = find(tx, options, tables, &needs, &unsettled)?;
        write(tx, tables, &logic.decide(found), &mut intents, &mut unsettled)?;
    }
    report.releasing = unsettled.finish(tx)?;
    report.intents = intents.written;
    Ok(report)
}

fn find(
    tx: &mut Tx<'_>,
    options: &SqliteOptions,
    tables: &Tables,
    needs: &Needs,
    unsettled: &Unsettled,
) -> Result<Found, StoreError> {
    let mut found = reads::find(tx, needs, tables)?;
    for call in &needs.handlers {
        let outcome = if unsettled.has(call.message) {
            handler::run(tx, &options.handlers, call)?
        } else {
            handler::reject(&format!("message {} is not in this batch", call.message))
        };
        found.handled.insert(call.message, outcome);
    }
    Ok(found)
}

fn write(
    tx: &Tx<'_>,
    tables: &Tables,
    changes: &Changes,
    intents: &mut intents::Writer,
    unsettled: &mut Unsettled,
) -> Result<(), StoreError> {
    states::write(tx, &changes.states)?;
    domain::write(tx, tables, &changes.writes)?;
    intents.write(tx, &changes.intents)?;
    timers::write(tx, &changes.timers)?;
    unsettled.settle(tx, &changes.settlements)?;
    // After settling: a message that is parked in this very wave waits for the gap that closes.
    let wake = sql::wake();
    changes
        .wake
        .iter()
        .try_for_each(|key| tx.run(&wake, (key.as_str(), tx.now().as_micros())).map(drop))
}
