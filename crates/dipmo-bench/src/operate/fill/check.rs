//! Whether the store counts what was filled.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use dipmo_domain::Fingerprint;
use dipmo_store::Waiting;
use dipmo_store::admin::Operable;

use crate::operate::past::{Past, Sent, Stands};

/// Compares what waits, and the groups of what failed.
pub(super) async fn run(store: &dyn Operable, past: &Past) -> Result<()> {
    let (inbox, outbox) = waiting(past);
    let mut found = store.backlog().await?;
    for waiting in found.outbox.values_mut().chain([&mut found.inbox]) {
        waiting.oldest = None;
    }
    ensure!(found.inbox == inbox, "of messages {:?} wait, and {inbox:?} were filled", found.inbox);
    ensure!(found.outbox == outbox, "of units {:?} wait, and {outbox:?} were filled", found.outbox);
    let (wanted, found) = (counts(past), store.failure_groups(500).await?);
    let found: Counts = found.iter().map(|it| (it.fingerprint, (it.failed, it.retrying))).collect();
    ensure!(found == wanted, "groups of failures are {found:?}, and {wanted:?} were filled");
    Ok(())
}

fn waiting(past: &Past) -> (Waiting, BTreeMap<String, Waiting>) {
    let mut inbox = Waiting::default();
    let mut outbox: BTreeMap<String, Waiting> = BTreeMap::new();
    for number in 0..past.count() {
        match past.stands(number) {
            Stands::Ended(_) => {}
            Stands::Failed | Stands::Undecodable => inbox.failed += 1,
            Stands::Retrying => inbox.retrying += 1,
            Stands::Held { .. } => inbox.held += 1,
            Stands::Parked => inbox.parked += 1,
            Stands::Ready => inbox.ready += 1,
        }
        for unit in past.units_of(number) {
            let Some(sent) = past.sent(unit).filter(|sent| *sent != Sent::Dispatched) else {
                continue;
            };
            let of = outbox.entry(Past::destination(number).to_owned()).or_default();
            match sent {
                Sent::Dispatched => {}
                Sent::Failed => of.failed += 1,
                Sent::Retrying => of.retrying += 1,
                Sent::Held { .. } => of.held += 1,
                Sent::Ready => of.ready += 1,
            }
        }
    }
    (inbox, outbox)
}

/// How many have failed and how many are retried, by group.
type Counts = BTreeMap<Fingerprint, (u64, u64)>;

fn counts(past: &Past) -> Counts {
    let mut counts = Counts::new();
    for number in 0..past.count() {
        if let Some(group) = past.failure(number) {
            let of = counts.entry(group.fingerprint()).or_default();
            let retries = past.stands(number) == Stands::Retrying;
            *(if retries { &mut of.1 } else { &mut of.0 }) += 1;
        }
        for unit in past.units_of(number) {
            if let Some(group) = past.unit_failure(unit) {
                let of = counts.entry(group.fingerprint()).or_default();
                let retries = past.sent(unit) == Some(Sent::Retrying);
                *(if retries { &mut of.1 } else { &mut of.0 }) += 1;
            }
        }
    }
    counts
}
