//! One record, by its external id.

use std::fmt;

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};

use crate::class::Class;
use crate::client::Client;
use crate::error::Error;
use crate::http::failure::writes;
use crate::http::request::{About, Body, Request};
use crate::method::Method;
use crate::names::{record_path, record_place};

/// The fields of a record: values by name. A relationship is an object: `{"Family__r":
/// {"ExternalId__c": "F-1"}}`.
pub type Fields = serde_json::Map<String, serde_json::Value>;

/// A record by its external id.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordRef<'a> {
    /// The object, such as `Contact`.
    pub object: &'a str,
    /// The field that is an external id, such as `ExternalId__c`.
    pub field: &'a str,
    /// Its value.
    pub key: &'a str,
}

impl fmt::Debug for RecordRef<'_> {
    /// Without the key, which may be anybody's e-mail address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, field, .. } = self;
        write!(f, "{object}/{field}/*")
    }
}

/// A record that was written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Upserted {
    /// Its id. Empty where an update says none, which are those of versions before 46.0.
    pub id: String,
    /// Whether it was not there before.
    #[serde(default)]
    pub created: bool,
}

impl Client {
    /// Writes a record: updates the one that has the key, or makes one.
    ///
    /// A field of the body that is the external id itself is left out, because Salesforce takes it
    /// from the path only.
    ///
    /// # Errors
    ///
    /// See [`Error::class`].
    pub async fn upsert(&self, at: &RecordRef<'_>, body: &Fields) -> Result<Upserted, Error> {
        let path = record_path(self.api_version(), at)?;
        let body = Body::json(&Without { fields: body, field: at.field })?;
        let request = Request::new(Method::Patch, path, body, About::Record)
            .shown_as(record_place(self.api_version(), at)?);
        let answer = self.call(&request).await?;
        if answer.status == 204 {
            return Ok(Upserted { id: String::new(), created: false });
        }
        answer.json().map_err(|error| error.ambiguous(writes(&request)).at(&request.shown()))
    }

    /// Deletes a record. One that is not there is deleted.
    ///
    /// # Errors
    ///
    /// See [`Error::class`]. A field that is no external id is an error; an object that does not
    /// exist looks to Salesforce like a record that does not.
    pub async fn delete(&self, at: &RecordRef<'_>) -> Result<(), Error> {
        let path = record_path(self.api_version(), at)?;
        let request = Request::new(Method::Delete, path, Body::Empty, About::Record)
            .shown_as(record_place(self.api_version(), at)?);
        match self.call(&request).await {
            Err(error) if is_gone(&error) => Ok(()),
            Err(error) if names_no_key(&error) => Err(error.with_class(Class::Misconfigured)),
            other => other.map(|_| ()),
        }
    }
}

fn is_gone(error: &Error) -> bool {
    let gone = matches!(error.code(), "NOT_FOUND" | "ENTITY_IS_DELETED");
    gone && error.status() == Some(404) && !names_no_key(error)
}

fn names_no_key(error: &Error) -> bool {
    error.code() == "NOT_FOUND" && error.message().contains("external ID field does not exist")
}

/// Fields without one of them. Salesforce does not mind the case of letters in names.
pub(crate) struct Without<'a> {
    pub(crate) fields: &'a Fields,
    pub(crate) field: &'a str,
}

impl Serialize for Without<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.fields {
            if !name.eq_ignore_ascii_case(self.field) {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}
