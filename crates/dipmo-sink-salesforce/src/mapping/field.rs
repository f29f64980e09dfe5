//! One field of a record, and what it is filled with.

use serde_json::Value;

/// A field of an object, and what it is filled with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMapping {
    /// The API name, such as `LastName`; or the parent by an external id of its own, such as
    /// `Family__r.ExternalId__c`.
    pub field: String,
    /// What it is filled with.
    pub from: Origin,
}

/// What a field is filled with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A column of the row that was read.
    Column(&'static str),
    /// A JSON pointer into the record that the payload carries; of a
    /// [`Source::Table`](crate::Source::Table), into the payload.
    Pointer(String),
    /// The record key, or the aggregate where the intent names no records.
    RecordKey,
    /// `AGGREGATE_ID`.
    AggregateId,
    /// Always the same.
    Constant(Value),
}

impl FieldMapping {
    /// A field and its origin.
    #[must_use]
    pub fn new(field: impl Into<String>, from: Origin) -> Self {
        Self { field: field.into(), from }
    }

    /// The relationship and the external id field of the parent, where a parent is meant.
    pub(crate) fn parent(&self) -> Option<(&str, &str)> {
        parent(&self.field)
    }
}

/// The relationship and the external id field that a column such as `Family__r.ExternalId__c` names.
pub(crate) fn parent(column: &str) -> Option<(&str, &str)> {
    column.split_once('.')
}

/// The field that holds the id of the parent: `Family__r` is kept in `Family__c`, `Account` in
/// `AccountId`. Needed to make it empty: a relationship that is null is ignored.
pub(crate) fn lookup_field(relationship: &str) -> String {
    match relationship.strip_suffix("__r") {
        Some(name) => format!("{name}__c"),
        None => format!("{relationship}Id"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relationship_tells_its_look_up_field() {
        assert_eq!(lookup_field("Family__r"), "Family__c");
        assert_eq!(lookup_field("Account"), "AccountId");
        assert_eq!(parent("Family__r.ExternalId__c"), Some(("Family__r", "ExternalId__c")));
        assert_eq!(parent("LastName"), None);
    }
}
