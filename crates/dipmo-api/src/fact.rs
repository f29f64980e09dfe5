//! Facts: named reads that the engine fetches for a whole batch before it decides.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_domain::Value;

use crate::sql::{CheckedQuery, ValueKind};
use crate::table::DomainTable;

/// A read that a process may ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactDefinition {
    /// The name that the process asks by.
    pub name: &'static str,
    /// Where it is read.
    pub source: FactSource,
}

/// Where a fact is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactSource {
    /// The rows of a domain table by one of its columns.
    Table {
        /// The table.
        table: Arc<DomainTable>,
        /// The column that is compared with the key; it should have an index.
        by: &'static str,
    },
    /// What a query finds.
    Query {
        /// The query; its parameters are the key.
        query: Arc<CheckedQuery>,
        /// The column of its result that has the key again, where rows are looked up to be sent.
        by: Option<&'static str>,
    },
}

impl FactDefinition {
    /// The rows of a table by one of its columns.
    #[must_use]
    pub const fn table(name: &'static str, table: Arc<DomainTable>, by: &'static str) -> Self {
        Self { name, source: FactSource::Table { table, by } }
    }

    /// What a query finds.
    #[must_use]
    pub const fn query(name: &'static str, query: Arc<CheckedQuery>) -> Self {
        Self { name, source: FactSource::Query { query, by: None } }
    }

    /// What a query of one parameter finds, with the column of its result that has the key again.
    #[must_use]
    pub const fn query_by(name: &'static str, query: Arc<CheckedQuery>, by: &'static str) -> Self {
        Self { name, source: FactSource::Query { query, by: Some(by) } }
    }

    /// What it reads, for people: the name of the table, or of the query.
    #[must_use]
    pub fn reads(&self) -> &'static str {
        match &self.source {
            FactSource::Table { table, .. } => table.name,
            FactSource::Query { query, .. } => query.name(),
        }
    }

    /// The column that has the key; a query need not have one.
    #[must_use]
    pub const fn by(&self) -> Option<&'static str> {
        match &self.source {
            FactSource::Table { by, .. } => Some(by),
            FactSource::Query { by, .. } => *by,
        }
    }

    /// What it is looked up by, when that is one value.
    #[must_use]
    pub fn key_kind(&self) -> Option<ValueKind> {
        match &self.source {
            FactSource::Table { by, .. } => self.column(by),
            FactSource::Query { query, .. } => match query.parameters() {
                [(_, kind)] => Some(*kind),
                _ => None,
            },
        }
    }

    /// What a column of its rows holds.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<ValueKind> {
        match &self.source {
            FactSource::Table { table, .. } => table.column(name).map(|column| column.kind.into()),
            FactSource::Query { query, .. } => {
                let mut columns = query.columns().iter();
                columns.find(|(column, _)| *column == name).map(|(_, kind)| *kind)
            }
        }
    }

    /// Why a key cannot be looked up, without the key. Facts are fetched for a whole batch, so one
    /// bad key would fail it all.
    #[must_use]
    pub fn misfit(&self, key: &FactKey) -> Option<String> {
        let values = key.values();
        match &self.source {
            FactSource::Table { table, by } => {
                let Some(value) = key.one() else {
                    return Some(format!("table {} is read by one value", table.name));
                };
                let misfit = table.column(by)?.misfit(value)?;
                Some(format!("table {} {misfit}", table.name))
            }
            FactSource::Query { query, .. } => {
                let parameters = query.parameters();
                if parameters.len() != values.len() {
                    let (wanted, given) = (parameters.len(), values.len());
                    return Some(format!(
                        "query {} takes {wanted} values, not {given}",
                        query.name()
                    ));
                }
                let mut pairs = parameters.iter().zip(values);
                let misfit = pairs.find_map(|((name, kind), value)| kind.misfit(name, value))?;
                Some(format!("query {} {misfit}", query.name()))
            }
        }
    }
}

/// One fact that a message needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactRequest {
    /// The name of a [`FactDefinition`].
    pub name: &'static str,
    /// What to look up.
    pub key: FactKey,
}

impl FactRequest {
    /// A fact by one value.
    #[must_use]
    pub fn new(name: &'static str, key: impl Into<FactKey>) -> Self {
        Self { name, key: key.into() }
    }

    /// A fact by the values of the parameters of its query, in the order of their declaration.
    #[must_use]
    pub fn with(name: &'static str, values: Vec<Value>) -> Self {
        Self { name, key: FactKey::of(values) }
    }
}

/// What a fact is looked up by: one value, or those of several parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FactKey(Key);

/// One value stands by itself: most keys are one, and it costs no allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    One(Value),
    Several(Box<[Value]>),
}

impl FactKey {
    /// A key of any number of values.
    #[must_use]
    pub fn of(mut values: Vec<Value>) -> Self {
        // One value is the same key however it came about.
        Self(match (values.pop(), values.is_empty()) {
            (Some(only), true) => Key::One(only),
            (last, _) => {
                values.extend(last);
                Key::Several(values.into())
            }
        })
    }

    /// The values.
    #[must_use]
    pub const fn values(&self) -> &[Value] {
        match &self.0 {
            Key::One(value) => std::slice::from_ref(value),
            Key::Several(values) => values,
        }
    }

    /// The value, when it is one.
    #[must_use]
    pub const fn one(&self) -> Option<&Value> {
        match &self.0 {
            Key::One(value) => Some(value),
            Key::Several(_) => None,
        }
    }
}

impl<T: Into<Value>> From<T> for FactKey {
    fn from(value: T) -> Self {
        Self(Key::One(value.into()))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_the_same_key_however_it_came_about() {
        let one = FactRequest::new("customer", "C-1");
        assert_eq!(one, FactRequest::with("customer", vec!["C-1".into()]));
        assert_eq!(one.key.values(), ["C-1".into()]);
        let two = FactKey::of(vec!["C-1".into(), 2.into()]);
        assert_eq!(two.values(), ["C-1".into(), 2.into()]);
        assert_eq!((two.one(), FactKey::of(vec![]).values()), (None, &[][..]));
    }

    #[test]
    fn a_key_of_one_value_is_no_larger_than_the_value() {
        assert_eq!(size_of::<FactKey>(), size_of::<Value>());
    }
}
