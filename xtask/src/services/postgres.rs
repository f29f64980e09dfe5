//! Making sure that a PostgreSQL is up, and removing it again.

use std::path::Path;

use anyhow::{Context, Result};

use super::folder::remove_all;
use super::registry::Registry;
use super::server::Server;
use super::state::State;
use super::{Release, postmaster};

/// The server that the caller needs.
pub(crate) struct Wanted<'a> {
    pub(crate) service: &'a str,
    pub(crate) release: Release,
    pub(crate) fast: bool,
    pub(crate) kept: bool,
}

/// Makes sure that the server is up; the flag tells whether it was up before.
pub(crate) fn ensure(registry: &Registry, wanted: &Wanted<'_>) -> Result<(State, bool)> {
    let _changing = registry.lock()?;
    if let Some(mut state) = registry.get::<State>(wanted.service)? {
        if state.is_alive() {
            state.kept |= wanted.kept;
            registry.put(wanted.service, &state)?;
            return Ok((state, true));
        }
        discard(registry, wanted.service, &state)?;
    }
    end_leftover(&registry.folder().join(wanted.service).join("data"))?;
    let server = Server::start(registry.folder(), wanted)
        .with_context(|| format!("{} did not start", wanted.service))?;
    registry.put(wanted.service, server.state())?;
    Ok((server.keep(), false))
}

/// Stops the server and removes its data and its state file.
///
/// An interrupt does not stop this: it is also the way out of an interrupted run.
pub(crate) fn remove(registry: &Registry, service: &str, state: &State) -> Result<()> {
    let _changing = registry.lock_for_cleanup()?;
    discard(registry, service, state)
}

fn discard(registry: &Registry, service: &str, state: &State) -> Result<()> {
    if state.is_alive() {
        postmaster::stop(state.pid, &state.data)?;
    }
    if let Some(folder) = state.data.parent() {
        remove_all(folder)?;
    }
    registry.forget(service)
}

/// Ends a server whose starter was killed before it could write the state file.
fn end_leftover(data: &Path) -> Result<()> {
    match postmaster::pid(data) {
        Some(pid) => postmaster::stop(pid, data),
        None => Ok(()),
    }
}
