//! Rows of domain tables, kept in memory.

use std::collections::{HashMap, HashSet};

use dipmo_api::table::DomainTable;
use dipmo_api::{DomainWrite, FactDefinition, FactRequest, FactRow, FactSource, WriteTarget};
use dipmo_domain::Value;

/// The rows that were written so far, and those that a database had before.
#[derive(Default)]
pub(super) struct Rows {
    tables: HashMap<&'static str, Vec<FactRow>>,
    /// The natural keys of rows that are known, or were written: what a database says of them is old.
    known: HashSet<(&'static str, Vec<Option<Value>>)>,
}

impl Rows {
    /// Takes a row as a database has it.
    pub(super) fn know(&mut self, table: &DomainTable, row: FactRow) {
        let key = table.key.iter().map(|column| row.get(column).cloned()).collect();
        if self.known.insert((table.name, key)) {
            self.tables.entry(table.name).or_default().push(row);
        }
    }

    /// What a statement does nobody knows here.
    pub(super) fn write(&mut self, write: &DomainWrite) {
        if let WriteTarget::Upsert(table) | WriteTarget::Delete(table) = write.target() {
            let key = table.key.iter().map(|column| write.value(column).cloned()).collect();
            self.known.insert((table.name, key));
        }
        match write.target() {
            WriteTarget::Upsert(table) => self.upsert(table, write),
            WriteTarget::Delete(table) => {
                let rows = self.tables.entry(table.name).or_default();
                rows.retain(|row| !is_of(table, row, write));
            }
            WriteTarget::Run(_) => {}
        }
    }

    fn upsert(&mut self, table: &DomainTable, write: &DomainWrite) {
        let rows = self.tables.entry(table.name).or_default();
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
        Some(self.tables.get(table.name).into_iter().flatten().filter(is_it).cloned().collect())
    }
}

/// True when a row has the natural key of a write.
fn is_of(table: &DomainTable, row: &FactRow, write: &DomainWrite) -> bool {
    table.key.iter().all(|column| row.get(column) == write.value(column))
}
