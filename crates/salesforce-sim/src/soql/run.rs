//! A query is answered: which records, in which order.

use std::cmp::Ordering;

use super::budget::Budget;
use super::error::malformed;
use super::filter::{Filter, OneOf, order};
use super::path::{Names, Path};
use super::tree::{Name, Query};
use crate::org::id::RecordId;
use crate::org::record::State;
use crate::org::transaction::Transaction;
use crate::refusal::Refusal;
use crate::schema::FieldId;
use crate::value::Value;

/// Whether records in the recycle bin are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Live,
    /// `queryAll`.
    All,
}

impl Scope {
    pub(super) fn sees(self, tx: &Transaction<'_>, record: RecordId) -> bool {
        match tx.org().record(record).map(|record| record.state) {
            Some(State::Live) => true,
            Some(State::Deleted) => self == Scope::All,
            Some(State::Erased) | None => false,
        }
    }
}

/// A query whose names and literals are those of the schema.
pub(super) struct Plan {
    filter: Option<Filter>,
    order: Vec<(Path, Direction)>,
    limit: usize,
    offset: usize,
}

#[derive(Clone, Copy)]
struct Direction {
    descending: bool,
    nulls_last: bool,
}

impl Plan {
    pub(super) fn bind(names: &Names<'_>, query: &Query) -> Result<Plan, Refusal> {
        let filter = query.filter.as_ref();
        let order = query.order.iter().map(|order| {
            let direction =
                Direction { descending: order.descending, nulls_last: order.nulls_last };
            Ok((sortable(names, &order.field)?, direction))
        });
        Ok(Plan {
            filter: filter.map(|condition| Filter::bind(names, condition)).transpose()?,
            order: order.collect::<Result<_, Refusal>>()?,
            limit: query.limit.unwrap_or(usize::MAX),
            offset: query.offset.unwrap_or(0),
        })
    }

    /// The records, in order.
    pub(super) fn run(
        &self,
        tx: &Transaction<'_>,
        names: &Names<'_>,
        scope: Scope,
        budget: &Budget,
    ) -> Result<Vec<RecordId>, Refusal> {
        let accepted = |record: RecordId| match &self.filter {
            None => Some(Ok(record)),
            Some(filter) => match filter.accepts(tx, record, budget) {
                Ok(accepted) => accepted.then_some(Ok(record)),
                Err(refusal) => Some(Err(refusal)),
            },
        };
        let records: Result<Vec<RecordId>, Refusal> = match self.by_index(tx, names, scope) {
            Some(candidates) => candidates.into_iter().filter_map(accepted).collect(),
            None if scope == Scope::All => tx.scan_all(names.object).filter_map(accepted).collect(),
            None => tx.scan(names.object).filter_map(accepted).collect(),
        };
        let mut records = records?;
        self.sort(tx, &mut records, budget)?;
        Ok(records.into_iter().skip(self.offset).take(self.limit).collect())
    }

    /// The only records that can be accepted, if an index knows them. It knows live ones only.
    fn by_index(
        &self,
        tx: &Transaction<'_>,
        names: &Names<'_>,
        scope: Scope,
    ) -> Option<Vec<RecordId>> {
        let equalities = self.filter.as_ref().filter(|_| scope == Scope::Live)?.equalities();
        let mut found = equalities.into_iter().find_map(|equality| lookup(tx, names, equality))?;
        found.sort_unstable_by_key(|record| record.serial);
        found.dedup();
        Some(found)
    }

    fn sort(
        &self,
        tx: &Transaction<'_>,
        records: &mut Vec<RecordId>,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        if self.order.is_empty() {
            return Ok(());
        }
        // Each record meets as many others as its number has digits.
        let digits = usize::BITS - records.len().leading_zeros();
        let columns: usize = self.order.iter().map(|(path, _)| path.steps()).sum();
        budget.spend(records.len() * columns * digits as usize)?;
        let mut keyed: Vec<(Vec<Value>, RecordId)> = records
            .drain(..)
            .map(|record| {
                (self.order.iter().map(|(path, _)| path.value(tx, record)).collect(), record)
            })
            .collect();
        keyed.sort_by(|(left, _), (right, _)| {
            let sides = left.iter().zip(right).zip(&self.order);
            sides
                .map(|((left, right), (_, direction))| direction.compare(left, right))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        records.extend(keyed.into_iter().map(|(_, record)| record));
        Ok(())
    }
}

impl Direction {
    fn compare(self, left: &Value, right: &Value) -> Ordering {
        let nulls = match (left, right) {
            (Value::Null, Value::Null) => return Ordering::Equal,
            (Value::Null, _) => Ordering::Less,
            (_, Value::Null) => Ordering::Greater,
            _ => {
                let order = order(left, right).unwrap_or(Ordering::Equal);
                return if self.descending { order.reverse() } else { order };
            }
        };
        if self.nulls_last { nulls.reverse() } else { nulls }
    }
}

fn sortable(names: &Names<'_>, field: &Name) -> Result<Path, Refusal> {
    let path = names.path(field)?;
    if !names.is_long(&path) {
        return Ok(path);
    }
    let words = format!("field '{}' can not be sorted in a query call", field.text);
    Err(malformed(names.query, field.offset, words))
}

/// `None` if the field has no index.
fn lookup(tx: &Transaction<'_>, names: &Names<'_>, equality: &OneOf) -> Option<Vec<RecordId>> {
    let field = equality.path.field;
    if !equality.path.parents.is_empty() {
        return None;
    }
    let ids = |id: &Value| {
        let record = id.as_text().and_then(|id| tx.org().record_id(id));
        record.filter(|record| record.object == names.object && Scope::Live.sees(tx, *record))
    };
    if field == FieldId::ID {
        return Some(equality.values.iter().filter_map(ids).collect());
    }
    // An index does not know the records that have no value.
    if equality.values.contains(&Value::Null) {
        return None;
    }
    let found: Option<Vec<_>> =
        equality.values.iter().map(|value| tx.org().find(names.object, field, value)).collect();
    Some(found?.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::fixture::Fixture;
    use crate::soql::parser::parse;

    #[test]
    fn an_equality_on_an_indexed_field_needs_no_scan() {
        let mut fixture = Fixture::new("{}");
        for key in ["C1", "C2", "C3"] {
            let record = serde_json::json!({ "LastName": "x", "ExternalId__c": key });
            fixture.insert("Contact", &record);
        }
        for (condition, candidates) in [
            ("ExternalId__c = 'c2'", Some(1)),
            ("ExternalId__c IN ('C1', 'C2', 'C1', 'C9')", Some(2)),
            ("LastName = 'x' AND ExternalId__c = 'C1'", Some(1)),
            ("Id = '003Hs000000000x'", Some(0)),
            ("LastName = 'x'", None),
            ("ExternalId__c = null", None),
            ("ExternalId__c != 'C1'", None),
            ("LastName = 'x' OR ExternalId__c = 'C1'", None),
            ("Account.ExternalId__c = 'C1'", None),
        ] {
            let text = format!("SELECT Id FROM Contact WHERE {condition}");
            let query = parse(&text).unwrap();
            let found = fixture.transact(|tx| {
                let schema = tx.schema().clone();
                let names = Names::of(&text, &schema, &query.from, None).unwrap();
                let plan = Plan::bind(&names, &query).unwrap();
                assert!(plan.by_index(tx, &names, Scope::All).is_none(), "the bin has no index");
                plan.by_index(tx, &names, Scope::Live).map(|found| found.len())
            });
            assert_eq!(found, candidates, "{condition}");
        }
    }
}
