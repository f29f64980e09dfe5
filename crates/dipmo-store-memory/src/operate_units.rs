//! What operators change in the outbox. It needs no lane: a dispatcher reads units and blocks in
//! one moment, and settles only what still stands as it was read.

use std::collections::HashMap;

use dipmo_domain::{OutboxId, OutboxStatus, Timestamp};
use dipmo_store::{Acted, Operated, Standing, judge};

use crate::blocks::Fate;
use crate::let_go::RELEASED_AT_ONCE;
use crate::outbox::OutboxTables;
use crate::release::let_units_go;

/// What a call answers, and how many units it made due.
type Acts = (Operated<OutboxStatus>, usize);

pub(crate) fn retry_units(
    outbox: &mut OutboxTables,
    units: &[OutboxId],
    force: bool,
    now: Timestamp,
) -> Acts {
    let standings = standings(outbox, units);
    let (acts, done) = judge(units, &standings, |_, it| it.retry(force));
    for id in &done {
        let Some(mut row) = outbox.exceptions.get(*id).cloned() else { continue };
        if row.columns.status == OutboxStatus::Failed {
            row.columns.status = OutboxStatus::Pending;
            row.retried += 1;
            reopen(outbox, *id);
        }
        row.begin_again(now);
        outbox.exceptions.put(*id, row);
    }
    (Operated { acts, releasing: false }, done.len())
}

pub(crate) fn skip_units(outbox: &mut OutboxTables, units: &[OutboxId], now: Timestamp) -> Acts {
    let standings = standings(outbox, units);
    let (acts, done) = judge(units, &standings, |_, it| it.skip());
    for id in &done {
        let Some(mut row) = outbox.exceptions.get(*id).cloned() else { continue };
        row.columns.skipped = true;
        outbox.exceptions.put(*id, row);
    }
    go_on_without(outbox, &done, acts, now)
}

pub(crate) fn release_behind(
    outbox: &mut OutboxTables,
    units: &[OutboxId],
    now: Timestamp,
) -> Acts {
    let standings = standings(outbox, units);
    let (acts, done) = judge(units, &standings, |_, it| it.release_behind());
    go_on_without(outbox, &done, acts, now)
}

/// Ends the blocks of heads, and lets go what they held.
fn go_on_without(
    outbox: &mut OutboxTables,
    heads: &[OutboxId],
    acts: Vec<Acted<OutboxStatus>>,
    now: Timestamp,
) -> Acts {
    let mut ended = Vec::new();
    for id in heads {
        if let Some(unit) = outbox.units.get(id).cloned() {
            outbox.blocks.settle(&mut ended, &unit.key, *id, Fate::Ends);
        }
    }
    let let_go = let_units_go(outbox, &ended, RELEASED_AT_ONCE, now);
    (Operated { acts, releasing: let_go.releasing }, let_go.count)
}

/// The intent of a unit that had failed has not ended any more.
fn reopen(outbox: &mut OutboxTables, unit: OutboxId) {
    let Some(intent) = outbox.units.get(&unit).map(|unit| unit.intent) else { return };
    let mut tally = outbox.tallies.get(&intent).copied().unwrap_or_default();
    tally.failed = tally.failed.saturating_sub(1);
    tally.retried += 1;
    outbox.tallies.insert_mut(intent, tally);
}

fn standings(outbox: &OutboxTables, ids: &[OutboxId]) -> HashMap<OutboxId, Standing<OutboxStatus>> {
    ids.iter().filter_map(|id| Some((*id, standing(outbox, *id)?))).collect()
}

/// `None` when there is no such unit.
fn standing(outbox: &OutboxTables, id: OutboxId) -> Option<Standing<OutboxStatus>> {
    outbox.units.get(&id)?;
    Some(match outbox.exceptions.get(id) {
        Some(row) => Standing {
            status: row.columns.status,
            attempts: row.attempts,
            retried: row.retried,
            aside: true,
            held: row.held,
            parked: false,
            skipped: row.columns.skipped,
            erased: false,
            heads: outbox.blocks.heads(row, id),
            overtaken_by: outbox.blocks.overtaken_by(row, id, |head| head > id),
        },
        None if outbox.done.contains_key(&id) => Standing::straight(OutboxStatus::Dispatched),
        None => Standing::straight(OutboxStatus::Pending),
    })
}
