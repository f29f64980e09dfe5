//! Collections within a composite: the request, and what became of each of its records.

use dipmo_salesforce::{Class, Fields, Method, RowError, SubRequest, SubResponse};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::org::OrgContext;

/// A collection as a request of a composite. The records have their external ids.
pub(super) fn collection(
    org: &OrgContext,
    reference: String,
    object: &str,
    external_id: &str,
    all_or_none: bool,
    records: impl Iterator<Item = Fields>,
) -> SubRequest {
    let typed = |mut record: Fields| {
        record.insert("attributes".to_owned(), json!({ "type": object }));
        Json::Object(record)
    };
    let records: Vec<Json> = records.map(typed).collect();
    let body = Fields::from_iter([
        ("allOrNone".to_owned(), Json::Bool(all_or_none)),
        ("records".to_owned(), Json::Array(records)),
    ]);
    let version = org.client.api_version();
    let url = format!("/services/data/v{version}/composite/sobjects/{object}/{external_id}");
    SubRequest { method: Method::Patch, url, reference, body: Some(body) }
}

/// What became of one record of a collection.
#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    id: Option<String>,
    success: bool,
    #[serde(default)]
    errors: Vec<ItemError>,
}

#[derive(Deserialize)]
struct ItemError {
    #[serde(rename = "statusCode")]
    code: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    fields: Vec<String>,
}

/// What became of each record of a request: one, or those of a collection.
pub(super) fn outcomes(response: &SubResponse) -> Vec<Result<String, RowError>> {
    let is_collection = (200..300).contains(&response.status) && response.body.is_array();
    match Vec::<Item>::deserialize(&response.body) {
        Ok(items) if is_collection => items.into_iter().map(Item::outcome).collect(),
        _ => vec![response.outcome().map(|upserted| upserted.id)],
    }
}

impl Item {
    fn outcome(self) -> Result<String, RowError> {
        if self.success {
            return Ok(self.id.unwrap_or_default());
        }
        let error = |error: ItemError| RowError {
            code: error.code,
            message: error.message,
            fields: error.fields,
        };
        let mut errors: Vec<RowError> = self.errors.into_iter().map(error).collect();
        // The cause counts, not what follows from it.
        errors.sort_by_key(is_innocent);
        Err(errors.into_iter().next().unwrap_or_else(|| RowError {
            code: "salesforce-unexplained".to_owned(),
            message: "Salesforce gave no reason".to_owned(),
            fields: Vec::new(),
        }))
    }
}

/// Whether it was refused for somebody else's fault.
pub(super) fn is_innocent(error: &RowError) -> bool {
    error.class() == Class::Innocent
}
