//! The servers of one run of tests or benches.
//!
//! A run shares servers that are up, and starts those that are missing. What no person asked to
//! keep goes down with the last run that uses it, also when that run is interrupted.

use anyhow::Result;

use super::postgres::{self, Wanted};
use super::recorded::Recorded;
use super::registry::Registry;
use super::state::State;
use super::{Clients, Release, kafka, previous};
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

    /// The bootstrap servers of a Kafka cluster, started with one node if there is none.
    pub(crate) fn kafka(&self) -> Result<String> {
        if let Some(servers) = kafka::external() {
            return Ok(servers);
        }
        let wanted = kafka::Wanted { nodes: 1, kept: false };
        Ok(kafka::ensure(&self.registry, &wanted)?.0.bootstrap_servers)
    }

    /// Where tests read how to reach that cluster with TLS and with a login, if it is ours.
    pub(crate) fn kafka_state(&self) -> Option<String> {
        let path = self.registry.path(kafka::SERVICE);
        kafka::external().is_none().then(|| path.display().to_string())
    }

    /// Where clients that others wrote are; installed if they are missing.
    pub(crate) fn clients(&self, clients: Clients) -> Result<String> {
        Ok(clients.ensure(&self.registry)?.display().to_string())
    }

    /// Where the previous version of dipmo is; built if it is missing.
    pub(crate) fn previous(&self) -> Result<String> {
        Ok(previous::ensure(&self.registry)?.display().to_string())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.using.is_last_holder() {
            return;
        }
        let services = Recorded::all(&self.registry).unwrap_or_default();
        for service in services.iter().filter(|service| !service.kept()) {
            if let Err(error) = service.remove(&self.registry) {
                eprintln!("warning: {} may still be up: {error:#}", service.name());
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
    if let Some(state) = session.registry.get::<State>(release.service())?
        && state.is_alive()
        && !state.fast
    {
        return Ok((state.url, Durability::Known));
    }
    let wanted = Wanted { service: BENCH, release, fast: false, kept: false };
    Ok((postgres::ensure(&session.registry, &wanted)?.0.url, Durability::Known))
}
