//! The services that have a state file, whatever they are.

use anyhow::Result;

use super::registry::Registry;
use super::state::State;
use super::{kafka, postgres};

/// A service as its state file tells it.
pub(crate) enum Recorded {
    /// A PostgreSQL, with the name of its file.
    Postgres(String, State),
    /// The Kafka cluster.
    Kafka(Box<kafka::State>),
}

impl Recorded {
    /// Every service with a state file, by name.
    pub(crate) fn all(registry: &Registry) -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for name in registry.names()? {
            if name == kafka::SERVICE {
                found.extend(registry.get(&name)?.map(Self::Kafka));
            } else if let Some(state) = registry.get(&name)? {
                found.push(Self::Postgres(name, state));
            }
        }
        Ok(found)
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Postgres(name, _) => name,
            Self::Kafka(_) => kafka::SERVICE,
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        match self {
            Self::Postgres(_, state) => state.is_alive(),
            Self::Kafka(state) => state.is_alive(),
        }
    }

    /// Whether a person started it.
    pub(crate) fn kept(&self) -> bool {
        match self {
            Self::Postgres(_, state) => state.kept,
            Self::Kafka(state) => state.kept,
        }
    }

    /// One line for a person, without passwords.
    pub(crate) fn summary(&self) -> String {
        match self {
            Self::Postgres(_, state) => state.summary(),
            Self::Kafka(state) => state.summary(),
        }
    }

    /// Stops it and removes its data.
    pub(crate) fn remove(&self, registry: &Registry) -> Result<()> {
        match self {
            Self::Postgres(name, state) => postgres::remove(registry, name, state),
            Self::Kafka(state) => kafka::remove(registry, state),
        }
    }
}
