//! Facts: rows of domain tables by a column, one statement for each fact of a wave.

use std::collections::BTreeMap;

use dipmo_api::table::Column;
use dipmo_api::{FactDefinition, FactRequest, FactRow, Facts};
use dipmo_domain::{StoreError, Value};
use dipmo_store::Tables;
use tokio_postgres::Row;

use crate::sql::{Call, Sql};
use crate::values;

/// The keys of one fact to read.
pub(crate) struct FactRead {
    fact: FactDefinition,
    by: Column,
    keys: Vec<Value>,
}

pub(crate) fn reads(
    tables: &Tables,
    requests: Vec<FactRequest>,
) -> Result<Vec<FactRead>, StoreError> {
    let mut by_name: BTreeMap<&'static str, Vec<Value>> = BTreeMap::new();
    for request in requests {
        let keys = by_name.entry(request.name).or_default();
        if !keys.contains(&request.key) {
            keys.push(request.key);
        }
    }
    by_name.into_iter().map(|(name, keys)| FactRead::named(tables, name, keys)).collect()
}

impl FactRead {
    fn named(tables: &Tables, name: &str, keys: Vec<Value>) -> Result<Self, StoreError> {
        let missing =
            || StoreError::SchemaMissing { problem: format!("fact {name} is not defined") };
        Self::new(tables.fact(name).ok_or_else(missing)?, keys)
    }

    pub(crate) fn new(fact: &FactDefinition, keys: Vec<Value>) -> Result<Self, StoreError> {
        let by = fact.table.column(fact.by).ok_or_else(|| StoreError::SchemaMissing {
            problem: format!(
                "fact {} reads by {}, which {} does not have",
                fact.name, fact.by, fact.table.name
            ),
        })?;
        // A wrong type is found here, before anything is sent.
        values::array(by, keys.iter())?;
        Ok(Self { by: by.clone(), fact: fact.clone(), keys })
    }

    pub(crate) fn call(&self) -> Call {
        let columns: Vec<String> =
            self.fact.table.columns.iter().map(|column| column.name.to_lowercase()).collect();
        let text = format!(
            "select {} from {} where {} = any ($1::{})",
            columns.join(", "),
            self.fact.table.name.to_lowercase(),
            self.by.name.to_lowercase(),
            values::array_type(self.by.kind),
        );
        let keys = values::array(&self.by, self.keys.iter());
        Sql::dynamic("fact_find", text).with(keys.into_iter().collect())
    }

    pub(crate) fn add_to(&self, facts: &mut Facts, rows: &[Row]) -> Result<(), StoreError> {
        for values in self.rows(rows)? {
            let key = values.get(self.fact.by).cloned().unwrap_or(Value::Null);
            facts.add(FactRequest { name: self.fact.name, key }, values);
        }
        Ok(())
    }

    pub(crate) fn rows(&self, rows: &[Row]) -> Result<Vec<FactRow>, StoreError> {
        rows.iter().map(|row| fact_row(&self.fact.table.columns, row)).collect()
    }
}

/// A row of a domain table, with its columns in the order of the definition.
pub(crate) fn fact_row(columns: &[Column], row: &Row) -> Result<FactRow, StoreError> {
    let value = |(at, column): (usize, &Column)| match values::value(column.kind, row, at) {
        Ok(value) => Ok((column.name, value)),
        Err(error) => Err(StoreError::RowRefused {
            statement: "fact_find",
            problem: format!("column {}: {error}", column.name),
        }),
    };
    columns.iter().enumerate().map(value).collect()
}
