//! The tables that the processes of a deployment own.

use std::sync::Arc;

use dipmo_api::sql::{CheckedQuery, CheckedStatement, UserSql};
use dipmo_api::table::{DomainTable, ProcessTable};
use dipmo_api::{FactDefinition, FactSource, Registry};

/// What a store must know of the processes: their tables, the facts that they read and the statements
/// that they run.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// One for each process.
    pub processes: Vec<Arc<ProcessTable>>,
    /// The tables of the domain.
    pub domain: Vec<Arc<DomainTable>>,
    /// The reads.
    pub facts: Vec<FactDefinition>,
    /// The statements.
    pub statements: Vec<Arc<CheckedStatement>>,
}

impl Tables {
    /// Those of all processes of a registry.
    #[must_use]
    pub fn of(registry: &Registry) -> Self {
        Self {
            processes: registry.process_tables().to_vec(),
            domain: registry.domain_tables().to_vec(),
            facts: registry.facts().to_vec(),
            statements: registry.statements().to_vec(),
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

    /// The queries that facts are read by.
    pub fn queries(&self) -> impl Iterator<Item = &CheckedQuery> {
        self.facts.iter().filter_map(|fact| match &fact.source {
            FactSource::Query { query, .. } => Some(&**query),
            FactSource::Table { .. } => None,
        })
    }

    /// All SQL of a user's own.
    pub fn sql(&self) -> impl Iterator<Item = UserSql<'_>> {
        let statements = self.statements.iter().map(|statement| UserSql::Statement(statement));
        self.queries().map(UserSql::Query).chain(statements)
    }
}
