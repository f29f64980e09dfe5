//! An operator: looks at what does not go on, and retries some of it, skips it, lets others pass
//! it, or decodes it again, at any time.

use std::sync::Arc;

use dipmo_domain::{InboxId, InboxStatus, OutboxId, OutboxStatus};
use dipmo_inbox::InboxRow;
use dipmo_store::{Decoded, Inspect as _, Operate as _};
use tokio::time::sleep;

use crate::fault::Faulty;
use crate::sim::Sim;
use crate::world::{SOURCE, mended};

/// Acts until the time of faults is over.
pub(crate) async fn operate(sim: Arc<Sim>, number: usize) {
    let store = Faulty::new(&sim, &format!("o{number}"));
    while !sim.is_calm() && !sim.is_broken() {
        sleep(sim.chance.millis(30..=1_500)).await;
        if sim.chance.one_in(2) {
            messages(&store).await;
        } else {
            units(&store).await;
        }
    }
}

async fn messages(store: &Faulty) {
    let sim = &store.sim;
    let rows = store.inbox_rows(u32::MAX).await.unwrap_or_default();
    let wait = rows.iter().filter(|row| {
        let parked = row.status == InboxStatus::Received && row.next_attempt_at.is_some();
        parked || !matches!(row.status, InboxStatus::Received | InboxStatus::Processed)
    });
    let wait: Vec<InboxId> = wait.map(|row| row.message.id).collect();
    let all: Vec<InboxId> = rows.iter().map(|row| row.message.id).collect();
    let ids = some_of(sim, &wait, &all);
    if sim.chance.one_in(4) {
        return reparse(store, &rows).await;
    }
    let (act, force) = (sim.chance.below(4), sim.chance.one_in(3));
    // Who gets no answer asks again, once.
    for _ in 0..2 {
        let asked = match act {
            0 => store.skip(&ids).await,
            1 => store.release_behind(&ids).await,
            _ => store.retry(&ids, force).await,
        };
        if asked.is_ok() {
            break;
        }
    }
}

/// Some that cannot be read, by somebody who mostly knows how.
async fn reparse(store: &Faulty, rows: &[InboxRow]) {
    let chance = &store.sim.chance;
    let is_garbled = |row: &&InboxRow| {
        row.message.source_system == SOURCE
            && (row.status == InboxStatus::SerdeError || chance.one_in(30))
    };
    let garbled: Vec<&InboxRow> = rows.iter().filter(is_garbled).collect();
    let decoded = garbled.iter().filter(|_| chance.one_in(2)).filter_map(|row| {
        // Now and then it turns out to be a message that came before, or to have stolen its id.
        let of = if chance.one_in(8) { chance.pick(&garbled) } else { row };
        let decoded = mended(&row.message, &of.message, chance.one_in(2))?;
        Some((row.message.id, decoded))
    });
    let (decoded, force): (Vec<Decoded>, bool) = (decoded.collect(), chance.one_in(3));
    for _ in 0..2 {
        if store.reparse(&decoded, force).await.is_ok() {
            break;
        }
    }
}

async fn units(store: &Faulty) {
    let sim = &store.sim;
    let (mut wait, mut all): (Vec<OutboxId>, Vec<OutboxId>) = (Vec::new(), Vec::new());
    for intent in store.outbox_rows(u32::MAX).await.unwrap_or_default() {
        let records = store.records(intent.id).await.unwrap_or_default();
        let records = records.iter().map(|row| (row.id, row.status));
        for (id, status) in records.chain([(intent.id, intent.status)]) {
            all.push(id);
            if status == OutboxStatus::Failed || intent.next_attempt_at.is_some() {
                wait.push(id);
            }
        }
    }
    let ids = some_of(sim, &wait, &all);
    let (act, force) = (sim.chance.below(4), sim.chance.one_in(3));
    for _ in 0..2 {
        let asked = match act {
            0 => store.skip_units(&ids).await,
            1 => store.release_behind_units(&ids).await,
            _ => store.retry_units(&ids, force).await,
        };
        if asked.is_ok() {
            break;
        }
    }
}

/// Some of those that wait, and now and then one that does not.
fn some_of<Id: Copy>(sim: &Sim, wait: &[Id], all: &[Id]) -> Vec<Id> {
    let mut some: Vec<Id> = wait.iter().filter(|_| sim.chance.one_in(2)).copied().collect();
    if !all.is_empty() && sim.chance.one_in(3) {
        some.push(sim.chance.pick(all));
    }
    some
}
