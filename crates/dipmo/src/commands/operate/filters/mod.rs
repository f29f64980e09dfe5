//! What is wanted of a list, and what an act is done to: options with the names that the API has for them.

mod message;
mod unit;

use dipmo_domain::{Fingerprint, Timestamp};
use serde_json::{Map, Value};

use super::asking::Request;

pub(crate) use message::MessageFilter;
pub(crate) use unit::UnitFilter;

/// What a filter says, by the names of the API.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Words(Vec<(&'static str, Value)>);

impl Words {
    fn say(mut self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        self.0.extend(value.map(|value| (name, value.into())));
        self
    }

    /// True when nothing was said: everything is meant.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As the words of a query.
    pub(crate) fn ask(&self, request: Request) -> Request {
        self.0.iter().fold(request, |request, (name, value)| match value {
            Value::String(text) => request.with(name, Some(text)),
            value => request.with(name, Some(value)),
        })
    }

    /// As an object.
    pub(crate) fn object(self) -> Map<String, Value> {
        self.0.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Several statuses in one word, in the letters that the API has for them.
fn joined(statuses: &[String]) -> Option<String> {
    (!statuses.is_empty()).then(|| statuses.join(",").to_uppercase())
}

fn time(time: Option<super::show::when::Moment>, now: Timestamp) -> Option<String> {
    time.map(|time| time.at(now).to_string())
}

fn failure(failure: Option<Fingerprint>) -> Option<String> {
    failure.map(|failure| failure.to_string())
}
