//! The units of intents, in as few queries as the port allows: one for all intents of a message, unless they are many.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dipmo_domain::{InboxId, OutboxId, StoreError};
use dipmo_outbox::OutboxRow;
use dipmo_store::admin::{MOST_ON_A_PAGE, Operable, Page, UnitFilter, UnitLine};

use super::UNITS;

/// Units of an intent.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// Some of them, in the order of their ids.
    pub(crate) lines: Vec<UnitLine>,
    /// How many more there are.
    pub(crate) more: u64,
}

/// The units of each intent.
pub(crate) async fn of(
    store: &dyn Operable,
    intents: &[OutboxRow],
) -> Result<HashMap<OutboxId, Units>, StoreError> {
    let mut all = HashMap::new();
    let causes: BTreeSet<InboxId> = intents.iter().filter_map(|intent| intent.cause).collect();
    for cause in causes {
        let filter = UnitFilter { cause: Some(cause), ..UnitFilter::default() };
        let listing = store.units(&filter, Page::first(MOST_ON_A_PAGE)).await?;
        if listing.next.is_none() {
            all.extend(by_intent(listing.rows));
            continue;
        }
        for intent in intents.iter().filter(|intent| intent.cause == Some(cause)) {
            all.insert(intent.id, of_many(store, intent.id).await?);
        }
    }
    Ok(all)
}

/// All units of some intents, so many of each.
fn by_intent(lines: Vec<UnitLine>) -> BTreeMap<OutboxId, Units> {
    let mut all: BTreeMap<OutboxId, Units> = BTreeMap::new();
    for line in lines.into_iter().rev() {
        let units = all.entry(line.intent).or_default();
        if units.lines.len() < UNITS as usize {
            units.lines.push(line);
        } else {
            units.more += 1;
        }
    }
    all
}

/// Units of an intent that may have thousands.
async fn of_many(store: &dyn Operable, intent: OutboxId) -> Result<Units, StoreError> {
    let filter = UnitFilter { intent: Some(intent), ..UnitFilter::default() };
    let listing = store.units(&filter, Page::first(UNITS)).await?;
    let mut lines = listing.rows;
    lines.reverse();
    let all = match listing.next {
        Some(_) => store.records(intent).await?.len(),
        None => lines.len(),
    };
    let more = all.saturating_sub(lines.len()) as u64;
    Ok(Units { lines, more })
}
