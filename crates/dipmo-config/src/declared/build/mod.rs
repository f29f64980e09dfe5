//! From the model to processes that run, with every problem on the way.
//!
//! Building is the check: what is built runs, and what cannot be built says why and where. Nothing stops at
//! the first problem.

mod cases;
mod effects;
mod events;
mod expressions;
mod facts;
mod graph;
mod legs;
mod process;
mod sql;
mod tables;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;

use dipmo_api::sql::{CheckedQuery, CheckedStatement};
use dipmo_api::table::DomainTable;
use dipmo_api::{ErasedProcess, Registry, RegistryError};

use super::{DeclaredLeg, DeclaredProcess};
use crate::problem::{Problem, codes};
use crate::{Config, Files, Place, Problems, did_you_mean};

/// What a configuration declares, ready to be registered.
pub struct Declared {
    /// Tables of the domain by name.
    pub tables: BTreeMap<String, Arc<DomainTable>>,
    /// Queries by name.
    pub queries: BTreeMap<String, Arc<CheckedQuery>>,
    /// Statements by name.
    pub statements: BTreeMap<String, Arc<CheckedStatement>>,
    /// Processes, in the order of the file.
    pub processes: Vec<Arc<DeclaredProcess>>,
    /// Legs, in the order of the file.
    pub legs: Vec<Arc<DeclaredLeg>>,
}

impl Declared {
    /// Builds all that a configuration declares; what is wrong is added to `problems`, and what it is wrong
    /// with is left out.
    #[must_use]
    pub fn of(config: &Config, files: &Files, problems: &mut Problems) -> Self {
        let tables = tables::build(&config.tables, problems);
        let queries = sql::queries(&config.queries, files, problems);
        let statements = sql::statements(&config.statements, files, problems);
        let legs = legs::build(&config.legs, files, problems);
        let legs = legs.into_iter().map(Arc::new).collect();
        let mut declared = Self { tables, queries, statements, processes: Vec::new(), legs };
        for (name, process) in config.processes.iter() {
            let builder = process::Builder::new(config, &declared, files, name, process);
            let built = builder.build(problems);
            declared.processes.extend(built.map(Arc::new));
        }
        declared
    }
}

impl Declared {
    /// All processes together.
    ///
    /// # Errors
    /// With the process that cannot be beside those before it.
    pub fn registry(&self) -> Result<Registry, (&'static str, RegistryError)> {
        let mut registry = Registry::new();
        for process in &self.processes {
            let name = process.description().name();
            let added = registry.erased(Arc::clone(process) as Arc<dyn ErasedProcess>);
            registry = added.map_err(|error| (name, error))?;
        }
        Ok(registry)
    }
}

/// A name that is not among those that are there, with the one that was likely meant.
pub fn unknown<'a>(
    what: &str,
    name: &str,
    place: Place,
    known: impl IntoIterator<Item = &'a str>,
) -> Problem {
    let known: Vec<&str> = known.into_iter().collect();
    let near = did_you_mean(name, known.iter().copied());
    let hint = near.unwrap_or_else(|| match known.as_slice() {
        [] => format!("no {what} is declared"),
        [one] => format!("there is only `{one}`"),
        known => format!("there are {}", known.join(", ")),
    });
    Problem::error(codes::UNKNOWN_NAME, place, format!("there is no {what} `{name}`")).hint(hint)
}
