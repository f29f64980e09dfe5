//! `GET /sobjects/{object}/describe`: what the org says about an object.

use serde::Deserialize;

use crate::client::Client;
use crate::error::Error;
use crate::http::request::{About, Request};
use crate::names::name;

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Description {
    /// Its name, as the org writes it.
    pub name: String,
    /// Whether records can be made.
    #[serde(default)]
    pub createable: bool,
    /// Whether records can be updated.
    #[serde(default)]
    pub updateable: bool,
    /// Whether records can be deleted.
    #[serde(default)]
    pub deletable: bool,
    /// Its fields that the user may see.
    pub fields: Vec<FieldDescription>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FieldDescription {
    /// Its name, as the org writes it.
    pub name: String,
    /// Its type, such as `string`, `double` or `reference`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many characters fit; 0 where that is no question.
    #[serde(default)]
    pub length: u64,
    /// Whether it is an external id.
    #[serde(default)]
    pub external_id: bool,
    /// Whether no two records have the same value.
    #[serde(default)]
    pub unique: bool,
    /// Whether it may be empty.
    #[serde(default)]
    pub nillable: bool,
    /// Whether a new record may have it.
    #[serde(default)]
    pub createable: bool,
    /// Whether it may be changed.
    #[serde(default)]
    pub updateable: bool,
    /// Whether Salesforce fills it in where a new record has none.
    #[serde(default)]
    pub defaulted_on_create: bool,
    /// The objects that it refers to.
    #[serde(default)]
    pub reference_to: Vec<String>,
    /// The name by which a parent is told by its external id, such as `Family__r`.
    #[serde(default)]
    pub relationship_name: Option<String>,
}

impl FieldDescription {
    /// Whether a new record must have it.
    #[must_use]
    pub fn required(&self) -> bool {
        self.createable && !self.nillable && !self.defaulted_on_create
    }
}

impl Description {
    /// A field by its name, in any letter case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&FieldDescription> {
        self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))
    }

    /// The field behind a relationship, such as `Family__r`.
    #[must_use]
    pub fn relationship(&self, name: &str) -> Option<&FieldDescription> {
        let is_it = |field: &&FieldDescription| {
            field.relationship_name.as_ref().is_some_and(|is| is.eq_ignore_ascii_case(name))
        };
        self.fields.iter().find(is_it)
    }
}

impl Client {
    /// Asks what an object is.
    ///
    /// # Errors
    ///
    /// See [`Error::class`]. An object that does not exist, or that the user may not see, is
    /// [`Class::Misconfigured`](crate::Class::Misconfigured).
    pub async fn describe(&self, object: &str) -> Result<Description, Error> {
        let path = format!("/sobjects/{}/describe", name("an object", object)?);
        let request = Request::get(self.path(&path), About::Whole);
        let answer = self.call(&request).await?;
        answer.json().map_err(|error| error.at(&request.shown()))
    }
}
