//! Up to 200 records of one object in one call, or as one request of a composite.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value as Json, json};

use crate::class::Class;
use crate::client::Client;
use crate::composite::{SubRequest, SubResponse};
use crate::error::Error;
use crate::http::failure::writes;
use crate::http::request::{About, Body, Request};
use crate::method::Method;
use crate::names::{name, version_root};
use crate::record::{Fields, Upserted};
use crate::row_error::RowError;

/// How many records fit into a call.
pub const MAX_RECORDS: usize = 200;

impl Client {
    /// Writes records, each of which has its external id among its fields. The answers are in the
    /// order of the records.
    ///
    /// With `all_or_none` one refusal undoes all: the others are then [`Class::Innocent`].
    ///
    /// # Errors
    ///
    /// The call fails as a whole. [`Class::Permanent`] then means that one of the records cannot even
    /// be read: smaller calls tell which.
    pub async fn upsert_many(
        &self,
        object: &str,
        ext_field: &str,
        records: &[Fields],
        all_or_none: bool,
    ) -> Result<Vec<Result<Upserted, RowError>>, Error> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        if records.len() > MAX_RECORDS {
            let message = format!("{} records are more than {MAX_RECORDS}", records.len());
            return Err(Error::request_invalid(Class::Permanent, message));
        }
        let path = self.path(&path(object, ext_field)?);
        let records_of = records.iter().map(|fields| Typed { object, fields }).collect();
        let body = Body::json(&Records { all_or_none, records: records_of })?;
        let request = Request::new(Method::Patch, path, body, About::Whole);
        let answer = self.call(&request).await?;
        let items = answer.json::<Vec<Item>>().and_then(|items| {
            if items.len() == records.len() {
                return Ok(items);
            }
            let message = format!("{} answers came for {} records", items.len(), records.len());
            Err(Error::unreadable(message).with_status(answer.status))
        });
        let items =
            items.map_err(|error| error.ambiguous(writes(&request)).at(&request.shown()))?;
        Ok(items.into_iter().map(Item::outcome).collect())
    }
}

impl SubRequest {
    /// Writes records, each of which has its external id among its fields, as one request of a
    /// composite. [`SubResponse::outcomes`] tells what became of each.
    ///
    /// # Errors
    ///
    /// A name that cannot be in a path.
    pub fn collection(
        version: &str,
        reference: impl Into<String>,
        (object, ext_field): (&str, &str),
        records: impl IntoIterator<Item = Fields>,
        all_or_none: bool,
    ) -> Result<Self, Error> {
        let url = format!("{}{}", version_root(version), path(object, ext_field)?);
        let typed = |mut record: Fields| {
            record.insert(ATTRIBUTES.to_owned(), attributes(object));
            Json::Object(record)
        };
        let body = Fields::from_iter([
            ("allOrNone".to_owned(), Json::Bool(all_or_none)),
            ("records".to_owned(), records.into_iter().map(typed).collect()),
        ]);
        let reference = reference.into();
        Ok(Self { method: Method::Patch, url, reference, body: Some(body) })
    }
}

impl SubResponse {
    /// What became of each record of a request: of one, or of those of a
    /// [collection](SubRequest::collection). A collection that was refused as a whole has one refusal.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Result<Upserted, RowError>> {
        let is_collection = (200..300).contains(&self.status) && self.body.is_array();
        match Vec::<Item>::deserialize(&self.body) {
            Ok(items) if is_collection => items.into_iter().map(Item::outcome).collect(),
            _ => vec![self.outcome()],
        }
    }
}

/// The path below that of the version.
fn path(object: &str, ext_field: &str) -> Result<String, Error> {
    let (object, ext_field) = (name("an object", object)?, name("a field", ext_field)?);
    Ok(format!("/composite/sobjects/{object}/{ext_field}"))
}

/// Where a record says of what object it is.
const ATTRIBUTES: &str = "attributes";

fn attributes(object: &str) -> Json {
    json!({ "type": object })
}

#[derive(Serialize)]
struct Records<'a> {
    #[serde(rename = "allOrNone")]
    all_or_none: bool,
    records: Vec<Typed<'a>>,
}

/// A record that says of what object it is.
struct Typed<'a> {
    object: &'a str,
    fields: &'a Fields,
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len() + 1))?;
        if !self.fields.contains_key(ATTRIBUTES) {
            map.serialize_entry(ATTRIBUTES, &attributes(self.object))?;
        }
        for (name, value) in self.fields {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// What became of one record.
#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    id: Option<String>,
    success: bool,
    #[serde(default)]
    created: bool,
    #[serde(default)]
    errors: Json,
}

impl Item {
    fn outcome(self) -> Result<Upserted, RowError> {
        if self.success {
            return Ok(Upserted { id: self.id.unwrap_or_default(), created: self.created });
        }
        Err(RowError::from_json(&self.errors).unwrap_or_else(|| RowError::unexplained("")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(status: u16, body: Json) -> Vec<Result<String, String>> {
        let response = SubResponse { reference: "c0".to_owned(), status, body };
        let told = |outcome: Result<Upserted, RowError>| {
            outcome.map(|upserted| upserted.id).map_err(|error| error.code)
        };
        response.outcomes().into_iter().map(told).collect()
    }

    #[test]
    fn a_collection_is_one_request_of_typed_records() {
        let record = Fields::from_iter([("Key__c".to_owned(), json!("K-1"))]);
        let (to, version) = (("Contact", "Key__c"), "64.0");
        let request = SubRequest::collection(version, "c0", to, [record], true).unwrap();
        assert_eq!(request.url, "/services/data/v64.0/composite/sobjects/Contact/Key__c");
        let typed = json!({ "Key__c": "K-1", "attributes": { "type": "Contact" } });
        let body = json!({ "allOrNone": true, "records": [typed] });
        assert_eq!(request.body.map(Json::Object), Some(body));
        assert!(SubRequest::collection(version, "c0", ("A/B", "Key__c"), [], true).is_err());
    }

    #[test]
    fn a_request_has_an_outcome_for_each_of_its_records() {
        let halted = json!({ "statusCode": "PROCESSING_HALTED", "message": "rolled back" });
        let long = json!({ "statusCode": "STRING_TOO_LONG", "message": "no", "fields": null });
        let items = json!([
            { "id": "003", "success": true, "created": true, "errors": [] },
            { "success": false, "errors": [halted, long] },
            { "success": false },
        ]);
        let unexplained = "salesforce-unexplained".to_owned();
        let each = [Ok("003".to_owned()), Err("STRING_TOO_LONG".to_owned()), Err(unexplained)];
        assert_eq!(outcomes(200, items), each);
        let one = json!({ "id": "003", "success": true, "created": false });
        assert_eq!(outcomes(200, one), [Ok("003".to_owned())]);
        let refusal = json!([{ "errorCode": "NOT_FOUND", "message": "no such object" }]);
        assert_eq!(outcomes(404, refusal), [Err("NOT_FOUND".to_owned())]);
    }
}
