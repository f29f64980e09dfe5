//! Keys of records: in a delivery, in a table, and as Salesforce compares them.

use dipmo_api::sql::ValueKind;
use dipmo_api::{FactDefinition, FactRow};
use dipmo_domain::Value;
use dipmo_outbox::Delivery;

/// The key of the record that a delivery is about: what its order is kept by.
pub(crate) fn key_of(delivery: &Delivery) -> &str {
    delivery.record.as_ref().map_or(&delivery.aggregate_id, |record| &record.0)
}

/// Two keys that are the same for Salesforce have the same fold: it compares external ids without
/// case and blanks around, unless the field says otherwise, and refuses both where a call has two
/// that are the same.
pub(crate) fn fold(key: &str) -> String {
    key.trim().to_lowercase()
}

/// The column of a table, or of what a query finds, that has the keys.
#[derive(Clone, Copy)]
pub(crate) struct KeyColumn<'a> {
    fact: &'a FactDefinition,
}

impl<'a> KeyColumn<'a> {
    pub(crate) const fn of(fact: &'a FactDefinition) -> Self {
        Self { fact }
    }

    /// The value to look a key up by; `None` when no row can have it.
    pub(crate) fn value(self, key: &str) -> Option<Value> {
        match self.fact.key_kind()? {
            ValueKind::Integer => key.parse().ok().map(Value::Integer),
            _ => Some(Value::Text(key.to_owned())),
        }
    }

    /// The key that a row was found by.
    pub(crate) fn key(self, row: &FactRow) -> Option<String> {
        text(row.get(self.fact.by()?)?)
    }
}

/// A key as a column has it.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}
