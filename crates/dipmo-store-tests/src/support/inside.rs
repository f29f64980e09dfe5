//! A batch that stands still inside its transaction while the test looks at what others can do.

use std::sync::Arc;

use dipmo_domain::{Lane, StoreError};
use dipmo_store::{ClaimLimits, Store};
use tokio::task::JoinHandle;

use super::{Gate, Ran, Script, batch_of, everything, gate};

/// Starts a batch in a task of its own, and returns when it stands still inside its first decision.
pub async fn inside(
    store: &Arc<dyn Store>,
    limits: ClaimLimits,
    script: Script,
) -> (Gate, JoinHandle<Result<Ran, StoreError>>) {
    let (mut gate, guard) = gate();
    let store = Arc::clone(store);
    let script = script.behind(guard);
    let task = tokio::spawn(async move { batch_of(&*store, limits, script).await });
    gate.somebody_inside().await;
    (gate, task)
}

/// Everything that is in one lane, if it has something to claim.
#[must_use]
pub fn only_lane(lane: Lane) -> ClaimLimits {
    ClaimLimits { lanes: 1, start: lane, ..everything() }
}
