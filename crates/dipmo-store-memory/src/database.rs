//! All data, as maps that share their structure: a clone costs nothing and is a transaction.
//!
//! Whoever changes something changes a clone. Dropping the clone is a rollback, putting it in the
//! place of the newest state is a commit. All maps are ordered, so that no result depends on a
//! hash.

use std::sync::Arc;

use dipmo_api::FactDefinition;
use dipmo_api::table::ProcessTable;
use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::StateRow;
use dipmo_store::definitions::Definitions;
use dipmo_store::migration::{self, Applied};

use crate::domain::DomainRows;
use crate::inbox::InboxTables;
use crate::outbox::OutboxTables;
use crate::schema::MIGRATIONS;
use crate::timers::Timers;

pub(crate) type Map<K, V> = rpds::RedBlackTreeMapSync<K, V>;
pub(crate) type Set<T> = rpds::RedBlackTreeSetSync<T>;

/// Everything that a transaction can change.
#[derive(Clone, Default)]
pub(crate) struct Database {
    pub(crate) migrations: Vec<Applied>,
    pub(crate) inbox: InboxTables,
    pub(crate) outbox: OutboxTables,
    pub(crate) timers: Timers,
    pub(crate) processes: Map<String, Arc<ProcessTable>>,
    pub(crate) definitions: Map<String, Definitions>,
    pub(crate) states: Map<ProcessKey, StateRow>,
    pub(crate) domain: Map<&'static str, DomainRows>,
    pub(crate) facts: Map<&'static str, FactDefinition>,
}

impl Database {
    /// What a database says when its tables are not there.
    pub(crate) fn check_schema(&self) -> Result<(), StoreError> {
        migration::check(&MIGRATIONS, &self.migrations)
    }
}
