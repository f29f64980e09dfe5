//! Several requests in one call, which may refer to each other.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::class::Class;
use crate::client::Client;
use crate::error::Error;
use crate::http::failure::writes;
use crate::http::request::{About, Body, Request};
use crate::method::Method;
use crate::names::record_path;
use crate::record::{Fields, RecordRef, Upserted};
use crate::row_error::RowError;

/// How many requests fit into a composite.
pub const MAX_SUBREQUESTS: usize = 25;

/// Several requests.
#[derive(Clone, Debug, Serialize)]
pub struct Composite {
    /// Whether one refusal undoes all.
    #[serde(rename = "allOrNone")]
    pub all_or_none: bool,
    /// Whether Salesforce may run them in another order. Never so where order matters.
    #[serde(rename = "collateSubrequests")]
    pub collate: bool,
    /// The requests.
    #[serde(rename = "compositeRequest")]
    pub requests: Vec<SubRequest>,
}

/// A request within another one.
#[derive(Clone, Serialize)]
pub struct SubRequest {
    /// What to do.
    pub method: Method,
    /// With what: a path from `/services` on, in which `@{reference.id}` stands for a record of an
    /// earlier request.
    pub url: String,
    /// Its name, by which later ones refer to it: letters, digits and underscores.
    #[serde(rename = "referenceId")]
    pub reference: String,
    /// The fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<Fields>,
}

impl SubRequest {
    /// Writes a record by its external id, which is left out of the fields.
    ///
    /// # Errors
    ///
    /// A name or a key that cannot be in a path.
    pub fn upsert(
        version: &str,
        reference: impl Into<String>,
        at: &RecordRef<'_>,
        mut body: Fields,
    ) -> Result<Self, Error> {
        let url = record_path(version, at)?;
        body.retain(|name, _| !name.eq_ignore_ascii_case(at.field));
        let reference = reference.into();
        Ok(Self { method: Method::Patch, url, reference, body: Some(body) })
    }

    /// Deletes a record by its external id.
    ///
    /// # Errors
    ///
    /// A name or a key that cannot be in a path.
    pub fn delete(
        version: &str,
        reference: impl Into<String>,
        at: &RecordRef<'_>,
    ) -> Result<Self, Error> {
        let url = record_path(version, at)?;
        Ok(Self { method: Method::Delete, url, reference: reference.into(), body: None })
    }
}

impl fmt::Debug for SubRequest {
    /// Without the key in its path and without the body.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubRequest")
            .field("method", &self.method)
            .field("reference", &self.reference)
            .finish_non_exhaustive()
    }
}

/// The answer to a request within another one.
#[derive(Clone, Deserialize)]
pub struct SubResponse {
    /// The name of the request.
    #[serde(rename = "referenceId")]
    pub reference: String,
    /// The HTTP status.
    #[serde(rename = "httpStatusCode")]
    pub status: u16,
    /// What was answered.
    #[serde(default)]
    pub body: Json,
}

impl SubResponse {
    /// What became of the record that it is about.
    ///
    /// # Errors
    ///
    /// Salesforce refuses it.
    pub fn outcome(&self) -> Result<Upserted, RowError> {
        match self.status {
            200..=299 => {
                let id = self.body.get("id").and_then(Json::as_str).unwrap_or_default();
                let created = self.body.get("created").and_then(Json::as_bool);
                // Before 46.0 only the status tells.
                let created = created.unwrap_or(self.status == 201);
                Ok(Upserted { id: id.to_owned(), created })
            }
            300 => Err(RowError {
                code: "DUPLICATE_EXTERNAL_ID".to_owned(),
                message: "several records have this external id".to_owned(),
                fields: Vec::new(),
            }),
            _ => Err(RowError::from_json(&self.body).unwrap_or_else(|| RowError::unexplained(""))),
        }
    }
}

impl fmt::Debug for SubResponse {
    /// Without the body.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubResponse")
            .field("reference", &self.reference)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Answered {
    #[serde(rename = "compositeResponse")]
    responses: Vec<SubResponse>,
}

impl Client {
    /// Runs up to 25 requests. The answers are in the order of the requests.
    ///
    /// # Errors
    ///
    /// The call fails as a whole; what a single request is refused for is in its answer.
    pub async fn composite(&self, composite: &Composite) -> Result<Vec<SubResponse>, Error> {
        let wanted = composite.requests.len();
        if wanted == 0 {
            return Ok(Vec::new());
        }
        if wanted > MAX_SUBREQUESTS {
            let message = format!("{wanted} requests are more than {MAX_SUBREQUESTS}");
            return Err(Error::request_invalid(Class::Permanent, message));
        }
        let path = self.path("/composite");
        let request = Request::new(Method::Post, path, Body::json(composite)?, About::Whole);
        let answer = self.call(&request).await?;
        let answered = answer.json::<Answered>().and_then(|answered| {
            in_order(&composite.requests, answered.responses)
                .map_err(|error| error.with_status(answer.status))
        });
        answered.map_err(|error| error.ambiguous(writes(&request)).at(&request.shown()))
    }
}

/// The answers in the order of the requests. Salesforce sends them so; the names are checked because
/// a mix-up would settle one record with the answer to another.
pub(crate) fn in_order(
    requests: &[SubRequest],
    responses: Vec<SubResponse>,
) -> Result<Vec<SubResponse>, Error> {
    let fits = requests.len() == responses.len()
        && requests.iter().zip(&responses).all(|(asked, said)| asked.reference == said.reference);
    if !fits {
        return Err(Error::unreadable("the answers are not those to the requests"));
    }
    for (asked, said) in requests.iter().zip(&responses) {
        check_items(asked, said)?;
    }
    Ok(responses)
}

/// A collection has an answer for each of its records, or it is not known which record an answer is
/// about.
fn check_items(request: &SubRequest, response: &SubResponse) -> Result<(), Error> {
    let records = request.body.as_ref().and_then(|body| body.get("records")?.as_array());
    let items = response.body.as_array().filter(|_| (200..300).contains(&response.status));
    match (records, items) {
        (Some(records), Some(items)) if records.len() != items.len() => {
            let (came, wanted) = (items.len(), records.len());
            Err(Error::unreadable(format!("{came} answers came for {wanted} records")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn collection(records: &Json) -> SubRequest {
        let body = Fields::from_iter([("records".to_owned(), records.clone())]);
        let (url, reference) = ("/services/x".to_owned(), "c0".to_owned());
        SubRequest { method: Method::Patch, url, reference, body: Some(body) }
    }

    fn answered(status: u16, body: Json) -> Result<Vec<SubResponse>, Error> {
        let response = SubResponse { reference: "c0".to_owned(), status, body };
        in_order(&[collection(&json!([{}, {}]))], vec![response])
    }

    #[test]
    fn a_collection_is_answered_record_by_record_or_not_readable() {
        let item = json!({ "success": true, "id": "003" });
        assert!(answered(200, json!([item, item])).is_ok());
        for items in [json!([]), json!([item]), json!([item, item, item])] {
            let error = answered(200, items).unwrap_err();
            assert_eq!(error.code(), "salesforce-answer-unreadable");
            assert!(error.message().contains("for 2 records"), "{error}");
        }
        let refusal = json!([{ "errorCode": "NOT_FOUND", "message": "no such object" }]);
        assert!(answered(404, refusal).is_ok(), "the collection was refused as a whole");
    }
}
