//! Nothing was lost, doubled or overtaken: else the figures of a round are worth nothing.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, ensure};
use dipmo_domain::{InboxId, InboxStatus, OutboxStatus};
use dipmo_outbox::UnitSettlement;
use dipmo_store::Store;

use super::load::Load;
use super::{logic, marker};

/// How many rows of each view are looked at: the views are for people, and slow for all of them.
const NEWEST: u32 = 500;

/// Checks the states, the inbox and the outbox after all steps.
pub(crate) async fn all(store: &dyn Store, load: &Load, sent: &[UnitSettlement]) -> Result<()> {
    deliveries(load.messages().len(), sent)?;
    states(store, load).await?;
    rows(store).await
}

/// Each intent was sent once, in the order of the messages of its aggregate.
fn deliveries(all: usize, sent: &[UnitSettlement]) -> Result<()> {
    let units: HashSet<_> = sent.iter().map(|unit| unit.delivery.unit).collect();
    ensure!(sent.len() == all, "{} units were dispatched for {all} messages", sent.len());
    ensure!(units.len() == all, "only {} of {all} dispatched units differ", units.len());
    let mut last: HashMap<&str, Option<InboxId>> = HashMap::new();
    for unit in sent {
        let (aggregate, cause) = (&unit.delivery.aggregate_id, unit.delivery.cause);
        let before = last.insert(aggregate, cause).flatten();
        ensure!(before < cause, "{aggregate}: message {cause:?} was sent after {before:?}");
    }
    Ok(())
}

/// Each message moved the version of its aggregate by one.
async fn states(store: &dyn Store, load: &Load) -> Result<()> {
    let mut wanted: HashMap<_, i64> = load.aggregates().map(|id| (logic::key(&id), 0)).collect();
    for aggregate in load.messages().iter().filter_map(|message| message.aggregate_id.as_deref()) {
        *wanted.entry(logic::key(aggregate)).or_default() += 1;
    }
    let found = marker::read_states(store, wanted.keys().cloned().collect()).await?;
    for (key, version) in wanted {
        let found = found.get(&key).map(|row| row.version);
        ensure!(found == Some(version), "{} has version {found:?}, not {version}", key.id);
    }
    Ok(())
}

/// Nothing waits to be sent, and the views of the newest rows say the same.
async fn rows(store: &dyn Store) -> Result<()> {
    let due = store.due_destinations().await?;
    ensure!(due.is_empty(), "something is left for {} destinations", due.len());
    for row in store.inbox_rows(NEWEST).await? {
        let (id, status) = (row.message.id, row.status);
        ensure!(status == InboxStatus::Processed, "message {id} of INBOX is {status:?}");
    }
    for row in store.outbox_rows(NEWEST).await? {
        let (id, status) = (row.id, row.status);
        ensure!(status == OutboxStatus::Dispatched, "intent {id} of OUTBOX is {status:?}");
    }
    Ok(())
}
