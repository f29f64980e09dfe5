//! What can be asked: a table of fields that is the check, the error and the documentation of a query.
//!
//! A filter means the same in a query and in a body, where it is an object with the same names: both are read
//! here. **Invariant:** what is not in the table is refused, so that a slip of the pen never widens a filter.

mod documented;
mod given;

use axum::extract::FromRequestParts;
use hyper::http::request::Parts;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::problem::Problem;

pub(crate) use given::Given;

/// The field of a text that is looked for in payloads.
pub(crate) const SEARCHED: &str = "text";

/// Something that can be said.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it means.
    pub(crate) about: &'static str,
    /// What it can be.
    pub(crate) kind: Kind,
}

impl Field {
    /// Any text.
    pub(crate) const fn text(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: Kind::Text }
    }

    /// A group of failures, by its fingerprint.
    pub(crate) const fn fingerprint(name: &'static str) -> Self {
        Self { name, about: "A group of failures, by its fingerprint.", kind: Kind::Fingerprint }
    }

    /// A point in time.
    pub(crate) const fn time(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: Kind::Time }
    }

    /// The number of something.
    pub(crate) const fn id(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: Kind::Number(1, i64::MAX) }
    }
}

/// What a field can be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// Why something is done.
    Reason,
    /// The same where it must be said.
    Because,
    /// A group of failures.
    Fingerprint,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Any of some words: the field repeated, or with commas between.
    Words(&'static [&'static str]),
    /// A point in time as RFC 3339 writes it.
    Time,
    /// A whole number from the first to the second.
    Number(i64, i64),
    /// `true` or `false`.
    Flag,
}

impl Kind {
    /// Whether this, which is no text, can stand for one in JSON.
    fn can_be_written_as(self, value: &Value) -> bool {
        match self {
            Self::Number(..) => value.is_number(),
            Self::Flag => value.is_boolean(),
            _ => false,
        }
    }

    /// What it can be, for people.
    pub(crate) fn allowed(self) -> String {
        match self {
            Self::Text | Self::Reason | Self::Because => "a text that is not empty".to_owned(),
            Self::Fingerprint => "a text of 16 hexadecimal digits, as a list shows it".to_owned(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Words(words) => format!("any of {}", words.join(", ")),
            Self::Time => "a time with an offset, such as 2026-11-18T09:30:00Z".to_owned(),
            Self::Number(_, i64::MAX) => "a whole number".to_owned(),
            Self::Number(least, most) => format!("a whole number from {least} to {most}"),
            Self::Flag => "true or false".to_owned(),
        }
    }
}

/// What is read of fields.
pub(crate) trait Query: Sized {
    /// What can be said.
    fn fields() -> Vec<&'static Field>;

    /// Reads what was said; only names of [`Query::fields`] were.
    fn read(given: &Given) -> Result<Self, Problem>;
}

/// A query that can be part of a body as well.
pub(crate) trait Filter: Query {
    /// Its name in the OpenAPI document.
    const NAME: &'static str;
    /// What it looks through, as the audit names it.
    const TARGET: &'static str;

    /// The text that is looked for in payloads, if one is.
    fn searched(&self) -> Option<&str>;
}

/// Both, side by side.
impl<A: Query, B: Query> Query for (A, B) {
    fn fields() -> Vec<&'static Field> {
        [A::fields(), B::fields()].concat()
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        Ok((A::read(given)?, B::read(given)?))
    }
}

/// The query of a request.
pub(crate) struct Asked<T>(pub(crate) T);

impl<S: Sync, T: Query> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        T::read(&Given::new(T::fields(), pairs)?).map(Self)
    }
}

/// A filter, in a query or in a body, with the words that it was said in.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<T> {
    said: Map<String, Value>,
    /// What it means.
    pub(crate) filter: T,
}

impl<T: Filter> Wanted<T> {
    /// Whether it finds everything.
    pub(crate) fn says_nothing(&self) -> bool {
        self.said.is_empty()
    }

    /// As the audit has it: of a text that is looked for in payloads only how long it is, because it may be a part
    /// of one.
    pub(crate) fn audited(&self) -> Map<String, Value> {
        let mut said = self.said.clone();
        if let Some(text) = self.filter.searched() {
            said.remove(SEARCHED);
            said.insert(format!("{SEARCHED}_length"), text.chars().count().into());
        }
        said
    }
}

impl<T: Filter> Query for Wanted<T> {
    fn fields() -> Vec<&'static Field> {
        T::fields()
    }

    fn read(given: &Given) -> Result<Self, Problem> {
        Ok(Self { said: given.said(&T::fields()), filter: T::read(given)? })
    }
}

impl<'de, T: Filter> Deserialize<'de> for Wanted<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let said = Map::deserialize(deserializer)?;
        let read = Given::from_json(T::fields(), &said).and_then(|given| T::read(&given));
        let filter = read.map_err(|problem| serde::de::Error::custom(problem.detail()))?;
        Ok(Self { said, filter })
    }
}
