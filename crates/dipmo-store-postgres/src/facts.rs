//! Facts: rows of domain tables by a column, or of queries, one statement for each fact of a wave.

use std::collections::BTreeMap;

use dipmo_api::table::{Column, DomainTable};
use dipmo_api::{FactDefinition, FactKey, FactRequest, FactRow, FactSource, Facts};
use dipmo_domain::{StoreError, Value};
use dipmo_store::Tables;
use tokio_postgres::Row;

use crate::queries::{self, Places};
use crate::sql::{Call, Sql};
use crate::values;

/// The keys of one fact to read.
pub(crate) struct FactRead {
    fact: FactDefinition,
    keys: Vec<FactKey>,
}

pub(crate) fn reads(
    tables: &Tables,
    requests: Vec<FactRequest>,
) -> Result<Vec<(FactRead, Call)>, StoreError> {
    let mut by_name: BTreeMap<&'static str, Vec<FactKey>> = BTreeMap::new();
    for request in requests {
        let keys = by_name.entry(request.name).or_default();
        if !keys.contains(&request.key) {
            keys.push(request.key);
        }
    }
    by_name.into_iter().map(|(name, keys)| FactRead::named(tables, name, keys)).collect()
}

impl FactRead {
    fn named(tables: &Tables, name: &str, keys: Vec<FactKey>) -> Result<(Self, Call), StoreError> {
        let missing =
            || StoreError::SchemaMissing { problem: format!("fact {name} is not defined") };
        Self::new(tables.fact(name).ok_or_else(missing)?, keys)
    }

    /// With its statement. What does not fit is found here, before anything is sent.
    pub(crate) fn new(
        fact: &FactDefinition,
        keys: Vec<FactKey>,
    ) -> Result<(Self, Call), StoreError> {
        let read = Self { fact: fact.clone(), keys };
        read.call().map(|call| (read, call))
    }

    fn call(&self) -> Result<Call, StoreError> {
        match &self.fact.source {
            FactSource::Table { table, by } => self.table_call(table, by),
            FactSource::Query { query, .. } => {
                let misfit = self.keys.iter().find_map(|key| self.fact.misfit(key));
                if let Some(problem) = misfit {
                    return Err(StoreError::RowRefused { statement: "query", problem });
                }
                let keys: Vec<&[Value]> = self.keys.iter().map(FactKey::values).collect();
                queries::call(query, &keys)
            }
        }
    }

    fn table_call(&self, table: &DomainTable, by: &str) -> Result<Call, StoreError> {
        let by = table.column(by).ok_or_else(|| StoreError::SchemaMissing {
            problem: format!(
                "fact {} reads by {by}, which {} does not have",
                self.fact.name, table.name
            ),
        })?;
        let columns: Vec<String> =
            table.columns.iter().map(|column| column.name.to_lowercase()).collect();
        let text = format!(
            "select {} from {} where {} = any ($1::{})",
            columns.join(", "),
            table.name.to_lowercase(),
            by.name.to_lowercase(),
            values::array_type(by.kind),
        );
        if self.keys.iter().any(|key| key.one().is_none()) {
            let problem = format!("fact {} is read by one value", self.fact.name);
            return Err(StoreError::RowRefused { statement: "fact_find", problem });
        }
        let keys = values::array(by, self.keys.iter().filter_map(FactKey::one))?;
        Ok(Sql::dynamic("fact_find", text).with(vec![keys]))
    }

    /// True when nothing is asked for.
    pub(crate) const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn add_to(&self, facts: &mut Facts, rows: &[Row]) -> Result<(), StoreError> {
        for (key, row) in self.rows(rows)? {
            facts.add(FactRequest { name: self.fact.name, key }, row);
        }
        Ok(())
    }

    /// The rows, each with the key that it was found by.
    pub(crate) fn rows(&self, rows: &[Row]) -> Result<Vec<(FactKey, FactRow)>, StoreError> {
        match &self.fact.source {
            FactSource::Table { table, by } => {
                let keyed =
                    |row: FactRow| (row.get(by).cloned().unwrap_or(Value::Null).into(), row);
                rows.iter().map(|row| fact_row(&table.columns, row).map(keyed)).collect()
            }
            FactSource::Query { query, .. } => {
                let Some(first) = rows.first() else { return Ok(Vec::new()) };
                let places = Places::find(query, first.columns())?;
                let keyed =
                    |(number, row): (usize, FactRow)| Some((self.keys.get(number)?.clone(), row));
                rows.iter().filter_map(|row| places.read(row).map(keyed).transpose()).collect()
            }
        }
    }
}

/// A row of a domain table, with its columns in the order of the definition.
pub(crate) fn fact_row(columns: &[Column], row: &Row) -> Result<FactRow, StoreError> {
    let value = |(at, column): (usize, &Column)| match values::value(column.kind.into(), row, at) {
        Ok(value) => Ok((column.name, value)),
        Err(error) => Err(StoreError::RowRefused {
            statement: "fact_find",
            problem: format!("column {}: {error}", column.name),
        }),
    };
    columns.iter().enumerate().map(value).collect()
}
