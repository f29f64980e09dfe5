//! The processes that are declared, as the engine and the store want them.

use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_config::Declared;
use dipmo_store::Tables;

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
