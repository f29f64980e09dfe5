//! `GET /limits`: what the org may do in a day, and what is left of it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::client::Client;
use crate::error::Error;
use crate::http::request::{About, Request};

/// The limits of an org.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits(BTreeMap<String, Limit>);

/// One limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Limit {
    /// How many there are.
    pub max: u64,
    /// How many are left.
    pub remaining: u64,
}

impl Limits {
    /// A limit by its name, such as `DailyApiRequests`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Limit> {
        self.0.get(name).copied()
    }

    /// All limits with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Limit)> {
        self.0.iter().map(|(name, limit)| (name.as_str(), *limit))
    }
}

impl Client {
    /// Asks for the limits of the org, which counts as a request.
    ///
    /// # Errors
    ///
    /// See [`Error::class`].
    pub async fn limits(&self) -> Result<Limits, Error> {
        let request = Request::get(self.path("/limits"), About::Whole);
        let answer = self.call(&request).await?;
        let said = answer.json::<BTreeMap<String, Json>>();
        let said = said.map_err(|error| error.at(&request.shown()))?;
        // Some limits are of another form, and a new one may be.
        let limit = |(name, json)| Some((name, Limit::deserialize(json).ok()?));
        Ok(Limits(said.into_iter().filter_map(limit).collect()))
    }
}
