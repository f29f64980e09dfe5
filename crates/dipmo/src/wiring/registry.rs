//! The processes that are declared, as the engine and the store want them.

use std::sync::Arc;

use dipmo_api::{ErasedProcess, Registry};
use dipmo_config::{Config, Declared, DeclaredProcess, Problems};
use dipmo_store::Tables;

use super::problem::coded;

/// All processes. `None` when they cannot be together.
pub(super) fn registry(
    config: &Config,
    processes: &[Arc<DeclaredProcess>],
    problems: &mut Problems,
) -> Option<Registry> {
    let mut registry = Registry::new();
    for process in processes {
        let name = process.description().name();
        match registry.erased(Arc::clone(process) as Arc<dyn ErasedProcess>) {
            Ok(more) => registry = more,
            Err(error) => {
                let place = config.processes.entry(name).map(|(name, _)| name.place);
                problems.push(coded(&error, place));
                return None;
            }
        }
    }
    Some(registry)
}

/// The tables of the processes, and those that are declared for a mapping alone.
pub(super) fn tables(registry: &Registry, declared: &Declared) -> Tables {
    let mut tables = Tables::of(registry);
    for table in declared.tables.values() {
        if !tables.domain.iter().any(|known| known.name == table.name) {
            tables.domain.push(Arc::clone(table));
        }
    }
    tables
}
