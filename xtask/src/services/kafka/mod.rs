//! Apache Kafka of our own: making sure that it is up, and removing it again.
//!
//! It runs in the person's own account, root included: unlike `postgres` it does not mind, and it
//! listens on 127.0.0.1 only.

mod broker;
mod certificates;
mod cluster;
mod jars;
mod properties;
mod state;

use anyhow::{Context, Result};

use super::folder::remove_all;
use super::registry::Registry;
use cluster::Cluster;
pub(crate) use state::State;

/// The name of the folder and of the state file.
pub(crate) const SERVICE: &str = "kafka";

/// The variable that names a cluster to use instead of starting one.
pub(crate) const VARIABLE: &str = "DIPMO_TEST_KAFKA";

/// The variable that tells tests where the state file is, for a copy of the tree elsewhere.
pub(crate) const STATE_VARIABLE: &str = "DIPMO_TEST_KAFKA_STATE";

/// The largest cluster: three nodes are enough to lose one.
pub(crate) const MOST_NODES: usize = 3;

/// The cluster that the caller needs.
pub(crate) struct Wanted {
    pub(crate) nodes: usize,
    pub(crate) kept: bool,
}

/// The bootstrap servers of a cluster that the person runs, if there is one.
pub(crate) fn external() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|servers| !servers.is_empty())
}

/// Makes sure that a cluster is up; the flag tells whether it was up before.
///
/// One that is up serves whatever its size: clients find their way in any.
pub(crate) fn ensure(registry: &Registry, wanted: &Wanted) -> Result<(State, bool)> {
    let _changing = registry.lock()?;
    if let Some(mut state) = registry.get::<State>(SERVICE)? {
        if state.is_alive() {
            state.kept |= wanted.kept;
            registry.put(SERVICE, &state)?;
            return Ok((state, true));
        }
        discard(registry, &state)?;
    }
    broker::stop_leftovers(&registry.folder().join(SERVICE))?;
    let cluster =
        Cluster::start(registry.folder(), wanted).context("Apache Kafka did not start")?;
    registry.put(SERVICE, cluster.state())?;
    Ok((cluster.keep(), false))
}

/// Stops the cluster and removes its data and its state file.
///
/// An interrupt does not stop this: it is also the way out of an interrupted run.
pub(crate) fn remove(registry: &Registry, state: &State) -> Result<()> {
    let _changing = registry.lock_for_cleanup()?;
    discard(registry, state)
}

fn discard(registry: &Registry, state: &State) -> Result<()> {
    for node in &state.nodes {
        broker::stop(node.pid, &node.properties)?;
    }
    remove_all(&state.folder)?;
    registry.forget(SERVICE)
}
