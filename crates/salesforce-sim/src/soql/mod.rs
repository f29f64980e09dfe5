//! The part of SOQL with which clients start up and tests look: one object, its fields and those of
//! its parents, a filter, an order, a limit.

mod budget;
mod columns;
mod condition;
mod cursors;
mod error;
mod filter;
mod lexer;
mod literal;
mod parser;
mod path;
mod run;
mod select;
mod stream;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use std::sync::Arc;

use budget::Budget;
pub(crate) use cursors::Cursors;
use cursors::Found;
use path::{Names, Path};
use run::Plan;
pub(crate) use run::Scope;
use select::Shape;
use serde_json::{Map, Value as Json, json};
use tree::{Counted, Select};

use crate::org::id::{IdText, RecordId};
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::value::Value;

/// What a query gives.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// `COUNT()`.
    Count(usize),
    /// `COUNT(field)`: the one record of the answer.
    Aggregate(Json),
    Records(Arc<Found>),
}

/// One page of an answer.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) total: usize,
    pub(crate) records: Vec<Json>,
    /// Where the next page begins, if there is one.
    pub(crate) next: Option<usize>,
}

/// Runs a query.
pub(crate) fn run(tx: &Transaction<'_>, text: &str, scope: Scope) -> Result<Outcome, Refusal> {
    run_within(tx, text, scope, &Budget::of_a_query())
}

fn run_within(
    tx: &Transaction<'_>,
    text: &str,
    scope: Scope,
    budget: &Budget,
) -> Result<Outcome, Refusal> {
    let query = parser::parse(text)?;
    let schema = Arc::clone(tx.schema());
    let names = Names::of(text, &schema, &query.from, query.alias.as_deref())?;
    let plan = Plan::bind(&names, &query)?;
    match &query.select {
        Select::Count => Ok(Outcome::Count(plan.run(tx, &names, scope, budget)?.len())),
        Select::Counts(counts) => {
            let paths = counts.iter().map(|count| names.path(&count.field));
            let paths = paths.collect::<Result<Vec<_>, _>>()?;
            let records = plan.run(tx, &names, scope, budget)?;
            for path in &paths {
                budget.spend(records.len() * path.steps())?;
            }
            Ok(Outcome::Aggregate(aggregate(tx, counts, &paths, &records)))
        }
        Select::Fields(selected) => {
            let shape = Shape::bind(&names, &query, selected)?;
            let records = plan.run(tx, &names, scope, budget)?;
            Ok(Outcome::Records(Arc::new(Found { shape, records, scope })))
        }
    }
}

fn aggregate(
    tx: &Transaction<'_>,
    counts: &[Counted],
    paths: &[Path],
    records: &[RecordId],
) -> Json {
    let mut unnamed = 0..;
    let mut result = Map::new();
    result.insert("attributes".to_owned(), json!({ "type": "AggregateResult" }));
    for (count, path) in counts.iter().zip(paths) {
        let has_value = |record: &&RecordId| path.value(tx, **record) != Value::Null;
        let number = records.iter().filter(has_value).count();
        let name = count.alias.clone();
        let name = name.unwrap_or_else(|| format!("expr{}", unnamed.next().unwrap_or(0)));
        result.insert(name, number.into());
    }
    Json::Object(result)
}

impl Found {
    /// The records from one place on, as the API of a version shows them.
    pub(crate) fn page(
        &self,
        tx: &Transaction<'_>,
        from: usize,
        size: usize,
        version: u32,
    ) -> Page {
        let total = self.records.len();
        let end = from.saturating_add(size).min(total);
        let records = self.records.get(from..end).unwrap_or_default();
        // What was deleted, or taken back with its transaction, since the query ran is left out.
        let there = records.iter().filter(|record| self.scope.sees(tx, **record));
        Page {
            total,
            records: there.map(|record| self.shape.show(tx, *record, version)).collect(),
            next: (end < total).then_some(end),
        }
    }
}

/// Keeps what was found for the pages to come.
pub(crate) fn keep(tx: &mut Transaction<'_>, found: Arc<Found>) -> IdText {
    tx.cursors().open(found)
}

/// What an open cursor holds.
pub(crate) fn resume(tx: &mut Transaction<'_>, cursor: &str) -> Option<(IdText, Arc<Found>)> {
    tx.cursors().find(cursor)
}
