//! Domain writes: rows by natural key, and statements, written with the message in one transaction.

use std::sync::Arc;

use dipmo_domain::Value;

use crate::sql::CheckedStatement;
use crate::table::DomainTable;

/// One row to write or delete, or one statement to run.
///
/// Writing a row is idempotent: a row that is there is updated, and with a version column only by a
/// newer version. Columns that are not named keep what they have. What a statement does is its
/// author's affair; it sees what was written before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainWrite {
    target: WriteTarget,
    values: Vec<(&'static str, Value)>,
}

/// What a domain write does, and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteTarget {
    /// Inserts a row or updates it.
    Upsert(Arc<DomainTable>),
    /// Deletes a row.
    Delete(Arc<DomainTable>),
    /// Runs a statement.
    Run(Arc<CheckedStatement>),
}

impl DomainWrite {
    /// Inserts the row or updates the one with the same natural key.
    #[must_use]
    pub const fn upsert(table: Arc<DomainTable>) -> Self {
        Self { target: WriteTarget::Upsert(table), values: Vec::new() }
    }

    /// Deletes the row with that natural key, if it is there.
    #[must_use]
    pub const fn delete(table: Arc<DomainTable>) -> Self {
        Self { target: WriteTarget::Delete(table), values: Vec::new() }
    }

    /// Runs the statement once; every parameter must be set.
    #[must_use]
    pub const fn run(statement: Arc<CheckedStatement>) -> Self {
        Self { target: WriteTarget::Run(statement), values: Vec::new() }
    }

    /// Sets a column, or a parameter of a statement; the last value given counts.
    #[must_use]
    pub fn set(mut self, column: &'static str, value: impl Into<Value>) -> Self {
        self.values.retain(|(name, _)| *name != column);
        self.values.push((column, value.into()));
        self
    }

    /// What it does, and to what.
    #[must_use]
    pub const fn target(&self) -> &WriteTarget {
        &self.target
    }

    /// The table; `None` for a statement.
    #[must_use]
    pub const fn table(&self) -> Option<&Arc<DomainTable>> {
        match &self.target {
            WriteTarget::Upsert(table) | WriteTarget::Delete(table) => Some(table),
            WriteTarget::Run(_) => None,
        }
    }

    /// The columns that are set, in the order of the table's definition; none for a statement.
    #[must_use]
    pub fn columns(&self) -> Vec<&'static str> {
        let is_set = |name: &&'static str| self.value(name).is_some();
        let columns = self.table().map_or(&[][..], |table| &table.columns);
        columns.iter().map(|column| column.name).filter(is_set).collect()
    }

    /// The value of a column or a parameter, if it is set.
    #[must_use]
    pub fn value(&self, column: &str) -> Option<&Value> {
        self.values.iter().find(|(name, _)| *name == column).map(|(_, value)| value)
    }

    /// True for [`DomainWrite::delete`].
    #[must_use]
    pub const fn is_delete(&self) -> bool {
        matches!(self.target, WriteTarget::Delete(_))
    }

    /// The values of the natural key, in its order; those of the parameters, for a statement.
    #[must_use]
    pub fn key(&self) -> Vec<Value> {
        let value = |name: &str| self.value(name).cloned().unwrap_or(Value::Null);
        match &self.target {
            WriteTarget::Upsert(table) | WriteTarget::Delete(table) => {
                table.key.iter().map(|name| value(name)).collect()
            }
            WriteTarget::Run(statement) => {
                statement.parameters().iter().map(|(name, _)| value(name)).collect()
            }
        }
    }

    /// What is set, in the order of the calls.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.values.iter().map(|(name, value)| (*name, value))
    }
}
