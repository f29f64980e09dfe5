//! Domain writes: rows by natural key, written with the message in one transaction.

use std::sync::Arc;

use dipmo_domain::Value;

use crate::table::DomainTable;

/// One row to write or delete.
///
/// Writing is idempotent: a row that is there is updated, and with a version column only by a
/// newer version. Columns that are not named keep what they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainWrite {
    table: Arc<DomainTable>,
    values: Vec<(&'static str, Value)>,
    deletes: bool,
}

impl DomainWrite {
    /// Inserts the row or updates the one with the same natural key.
    #[must_use]
    pub const fn upsert(table: Arc<DomainTable>) -> Self {
        Self { table, values: Vec::new(), deletes: false }
    }

    /// Deletes the row with that natural key, if it is there.
    #[must_use]
    pub const fn delete(table: Arc<DomainTable>) -> Self {
        Self { table, values: Vec::new(), deletes: true }
    }

    /// Sets a column; the last value given counts.
    #[must_use]
    pub fn set(mut self, column: &'static str, value: impl Into<Value>) -> Self {
        self.values.retain(|(name, _)| *name != column);
        self.values.push((column, value.into()));
        self
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> &Arc<DomainTable> {
        &self.table
    }

    /// The columns that are set, in the order of the table's definition.
    #[must_use]
    pub fn columns(&self) -> Vec<&'static str> {
        let is_set = |name: &&'static str| self.value(name).is_some();
        self.table.columns.iter().map(|column| column.name).filter(is_set).collect()
    }

    /// The value of a column, if it is set.
    #[must_use]
    pub fn value(&self, column: &str) -> Option<&Value> {
        self.values.iter().find(|(name, _)| *name == column).map(|(_, value)| value)
    }

    /// True for [`DomainWrite::delete`].
    #[must_use]
    pub const fn is_delete(&self) -> bool {
        self.deletes
    }

    /// The values of the natural key, in its order.
    #[must_use]
    pub fn key(&self) -> Vec<Value> {
        self.table.key.iter().map(|name| self.value(name).cloned().unwrap_or(Value::Null)).collect()
    }

    /// What is set, in the order of the calls.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|(name, value)| (*name, value))
    }
}
