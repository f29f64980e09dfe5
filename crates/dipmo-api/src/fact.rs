//! Facts: named reads that the engine fetches for a whole batch before it decides.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_domain::Value;

use crate::table::DomainTable;

/// A read that a process may ask for: the rows of a domain table by one of its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactDefinition {
    /// The name that the process asks by.
    pub name: &'static str,
    /// Where it is read.
    pub table: Arc<DomainTable>,
    /// The column that is compared with the key; it should have an index.
    pub by: &'static str,
}

/// One fact that a message needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactRequest {
    /// The name of a [`FactDefinition`].
    pub name: &'static str,
    /// The key to look up.
    pub key: Value,
}

/// One row that was found, by column.
pub type FactRow = HashMap<&'static str, Value>;

/// The facts that were fetched for one wave of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(HashMap<FactRequest, Vec<FactRow>>);

impl Facts {
    /// Adds a row that was found for a request.
    pub fn add(&mut self, request: FactRequest, row: FactRow) {
        self.0.entry(request).or_default().push(row);
    }

    /// All rows that were found; empty when there are none, or the fact was not asked for.
    #[must_use]
    pub fn rows(&self, request: &FactRequest) -> &[FactRow] {
        self.0.get(request).map_or(&[], Vec::as_slice)
    }
}
