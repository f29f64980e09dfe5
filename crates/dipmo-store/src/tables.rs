//! The tables that the processes of a deployment own.

use std::sync::Arc;

use dipmo_api::table::{DomainTable, ProcessTable};
use dipmo_api::{FactDefinition, Registry};

/// What a store must know of the processes: their tables and the facts that they read.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// One for each process.
    pub processes: Vec<Arc<ProcessTable>>,
    /// The tables of the domain.
    pub domain: Vec<Arc<DomainTable>>,
    /// The reads.
    pub facts: Vec<FactDefinition>,
}

impl Tables {
    /// Those of all processes of a registry.
    #[must_use]
    pub fn of(registry: &Registry) -> Self {
        Self {
            processes: registry.process_tables().to_vec(),
            domain: registry.domain_tables().to_vec(),
            facts: registry.facts().to_vec(),
        }
    }

    /// The table of a process.
    #[must_use]
    pub fn process(&self, name: &str) -> Option<&Arc<ProcessTable>> {
        self.processes.iter().find(|table| table.process == name)
    }

    /// The definition of a fact.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&FactDefinition> {
        self.facts.iter().find(|fact| fact.name == name)
    }
}
