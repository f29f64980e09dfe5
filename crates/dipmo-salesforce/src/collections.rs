//! Up to 200 records of one object in one call.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value as Json, json};

use crate::class::Class;
use crate::client::Client;
use crate::error::Error;
use crate::http::failure::writes;
use crate::http::request::{About, Body, Request};
use crate::method::Method;
use crate::names::name;
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
        let path = format!(
            "/composite/sobjects/{}/{}",
            name("an object", object)?,
            name("a field", ext_field)?
        );
        let records_of = records.iter().map(|fields| Typed { object, fields }).collect();
        let body = Body::json(&Records { all_or_none, records: records_of })?;
        let request = Request::new(Method::Patch, self.path(&path), body, About::Whole);
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
        if !self.fields.contains_key("attributes") {
            map.serialize_entry("attributes", &json!({ "type": self.object }))?;
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
