//! Headers of a record: bytes, in order, the same name twice if it came twice.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Json, JsonError};

/// One header. A value may be missing, empty, or no text at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Kafka sends names as UTF-8.
    pub name: String,
    /// `None` is a header without a value, which is not the same as an empty one.
    pub value: Option<Vec<u8>>,
}

/// All headers of a record, as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Headers(Vec<Header>);

/// `HEADERS` holds something that dipmo did not write.
#[derive(Debug, Error)]
pub enum HeadersError {
    /// Not the shape that is written here.
    #[error("HEADERS has another shape: {0}")]
    Shape(#[from] serde_json::Error),
    /// A value that claims to be base64 and is not.
    #[error("HEADERS has a value that is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
}

/// How a header stands in the `HEADERS` column: readable where it is text, exact where it is not.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    name: std::borrow::Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Headers {
    /// Headers in the order given.
    #[must_use]
    pub const fn new(headers: Vec<Header>) -> Self {
        Self(headers)
    }

    /// Adds a text header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.push(Header { name: name.to_owned(), value: Some(value.as_bytes().to_vec()) });
        self
    }

    /// All of them, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[Header] {
        &self.0
    }

    /// True when there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The last header of that name, if it is text: what most clients mean by "the" header.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        let header = self.0.iter().rev().find(|header| header.name == name)?;
        str::from_utf8(header.value.as_deref()?).ok()
    }

    /// The `HEADERS` column of a row: NULL when there are none.
    ///
    /// # Errors
    /// As [`Headers::to_json`].
    pub fn to_column(&self) -> Result<Option<Json>, JsonError> {
        if self.is_empty() { Ok(None) } else { self.to_json().map(Some) }
    }

    /// The `HEADERS` column: an array, because an object would lose order and doubles.
    ///
    /// # Errors
    /// Never for headers that a broker can deliver; the signature says so because JSON is checked.
    pub fn to_json(&self) -> Result<Json, JsonError> {
        let stored: Vec<Stored<'_>> = self.0.iter().map(store).collect();
        Json::of(&stored)
    }

    /// Reads the `HEADERS` column back.
    ///
    /// # Errors
    /// When something else than dipmo wrote it.
    pub fn from_json(json: &Json) -> Result<Self, HeadersError> {
        let stored: Vec<Stored<'_>> = serde_json::from_str(json.as_str())?;
        stored.into_iter().map(restore).collect::<Result<_, _>>().map(Self)
    }
}

fn store(header: &Header) -> Stored<'_> {
    let name = header.name.as_str().into();
    match header.value.as_deref().map(|bytes| (str::from_utf8(bytes), bytes)) {
        None => Stored { name, value: None, base64: None },
        Some((Ok(text), _)) => Stored { name, value: Some(text.into()), base64: None },
        Some((Err(_), bytes)) => Stored { name, value: None, base64: Some(STANDARD.encode(bytes)) },
    }
}

fn restore(stored: Stored<'_>) -> Result<Header, HeadersError> {
    let value = match (stored.value, stored.base64) {
        (Some(text), _) => Some(text.into_owned().into_bytes()),
        (None, Some(base64)) => Some(STANDARD.decode(base64)?),
        (None, None) => None,
    };
    Ok(Header { name: stored.name.into_owned(), value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_stays_readable() {
        let json = Headers::default().with("traceparent", "00-ab-01").to_json().unwrap();
        assert_eq!(json.as_str(), r#"[{"name":"traceparent","value":"00-ab-01"}]"#);
    }

    #[test]
    fn the_last_of_two_is_the_header() {
        let headers = Headers::default().with("a", "1").with("a", "2");
        assert_eq!(headers.text("a"), Some("2"));
        assert_eq!(headers.text("b"), None);
    }

    proptest! {
        #[test]
        fn every_byte_comes_back(
            raw in prop::collection::vec((".{0,20}", prop::option::of(prop::collection::vec(any::<u8>(), 0..20))), 0..6)
        ) {
            let headers = Headers::new(raw.into_iter().map(|(name, value)| Header { name, value }).collect());
            let back = Headers::from_json(&headers.to_json().unwrap()).unwrap();
            prop_assert_eq!(back, headers);
        }
    }
}
