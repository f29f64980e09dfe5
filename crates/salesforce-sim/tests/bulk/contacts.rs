//! Contacts, as most tests upsert them.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::org::Row;

/// The job.
pub(crate) fn upsert() -> Json {
    json!({ "object": "Contact", "operation": "upsert", "externalIdFieldName": "ExternalId__c", "contentType": "CSV" })
}

/// So many contacts.
pub(crate) fn contacts(rows: usize) -> String {
    let rows: String = (0..rows).map(|row| format!("E-{row},Name {row}\n")).collect();
    format!("ExternalId__c,LastName\n{rows}")
}

/// The external ids of rows.
pub(crate) fn keys(rows: &[Row]) -> BTreeSet<String> {
    rows.iter().map(|row| row["ExternalId__c"].clone()).collect()
}
