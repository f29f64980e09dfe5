//! Rows of domain tables, kept in memory.

use std::collections::HashMap;

use dipmo_api::table::DomainTable;
use dipmo_api::{DomainWrite, FactDefinition, FactRequest, FactRow, FactSource, WriteTarget};
use dipmo_domain::Value;

/// The rows that were written so far.
#[derive(Default)]
pub(super) struct Rows(HashMap<&'static str, Vec<FactRow>>);

impl Rows {
    /// What a statement does nobody knows here.
    pub(super) fn write(&mut self, write: &DomainWrite) {
        match write.target() {
            WriteTarget::Upsert(table) => self.upsert(table, write),
            WriteTarget::Delete(table) => {
                let rows = self.0.entry(table.name).or_default();
                rows.retain(|row| !is_of(table, row, write));
            }
            WriteTarget::Run(_) => {}
        }
    }

    fn upsert(&mut self, table: &DomainTable, write: &DomainWrite) {
        let rows = self.0.entry(table.name).or_default();
        let at = rows.iter().position(|row| is_of(table, row, write));
        let row = match at {
            Some(at) => &mut rows[at],
            None => {
                rows.push(table.columns.iter().map(|it| (it.name, Value::Null)).collect());
                let last = rows.len() - 1;
                &mut rows[last]
            }
        };
        let version = |value: Option<&Value>| value.and_then(Value::as_integer);
        if let Some(column) = table.version
            && version(row.get(column)) >= version(write.value(column))
            && at.is_some()
        {
            return;
        }
        for column in write.columns() {
            if let Some(value) = write.value(column) {
                row.insert(column, value.clone());
            }
        }
    }

    /// The rows of a fact; `None` for one of a query.
    pub(super) fn find(
        &self,
        fact: &FactDefinition,
        request: &FactRequest,
    ) -> Option<Vec<FactRow>> {
        let FactSource::Table { table, by } = &fact.source else { return None };
        let key = request.key.values();
        let is_it = |row: &&FactRow| row.get(by) == key.first();
        Some(self.0.get(table.name).into_iter().flatten().filter(is_it).cloned().collect())
    }
}

/// True when a row has the natural key of a write.
fn is_of(table: &DomainTable, row: &FactRow, write: &DomainWrite) -> bool {
    table.key.iter().all(|column| row.get(column) == write.value(column))
}
