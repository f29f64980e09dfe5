//! The servers of one run of tests or benches.
//!
//! A run shares servers that are up, and starts those that are missing. What no person asked to
//! keep goes down with the last run that uses it, also when that run is interrupted.

use anyhow::Result;

use super::Release;
use super::postgres::{self, Wanted};
use super::state::Registry;
use crate::lock::Lock;

/// The service of benches: never shared with tests, which give up durability.
const BENCH: &str = "postgres-15-bench";

/// Whether a bench may trust what it measures.
pub(crate) enum Durability {
    /// Started by this tool with fsync on.
    Known,
    /// A server of the person, with settings that this tool does not know.
    Unknown,
}

/// Servers in use until this is dropped.
pub(crate) struct Session {
    registry: Registry,
    using: Lock,
}

impl Session {
    /// Announces the use, before anything is started.
    pub(crate) fn open() -> Result<Self> {
        let registry = Registry::open()?;
        let using = registry.use_lock()?;
        Ok(Self { registry, using })
    }

    /// The address of a fast server, started if there is none.
    pub(crate) fn postgres(&self, release: Release) -> Result<String> {
        if let Some(url) = release.external() {
            return Ok(url);
        }
        let wanted = Wanted { service: release.service(), release, fast: true, kept: false };
        Ok(postgres::ensure(&self.registry, &wanted)?.0.url)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.using.is_last_holder() {
            return;
        }
        let states = self.registry.list().unwrap_or_default();
        for (service, state) in states.iter().filter(|(_, state)| !state.kept) {
            if let Err(error) = postgres::remove(&self.registry, service, state) {
                eprintln!("warning: {service} may still be up: {error:#}");
            }
        }
    }
}

/// The address of a durable server for benches.
pub(crate) fn durable(session: &Session) -> Result<(String, Durability)> {
    let release = Release::Installed;
    if let Some(url) = release.external() {
        return Ok((url, Durability::Unknown));
    }
    if let Some(state) = session.registry.get(release.service())?
        && state.is_alive()
        && !state.fast
    {
        return Ok((state.url, Durability::Known));
    }
    let wanted = Wanted { service: BENCH, release, fast: false, kept: false };
    Ok((postgres::ensure(&session.registry, &wanted)?.0.url, Durability::Known))
}
