//! What is shown of what came in: nothing but its structure, unless a rule or a person says otherwise.
//!
//! Masked are the values of payloads and contexts, the values of headers, keys of records, values in base64 and
//! what failures say. Identifiers are not: message ids, aggregates, topics, record keys, ids at destinations, names of
//! fields and of headers, codes. **Invariant:** what cannot be understood is masked whole.

mod pointer;
mod text;

use dipmo_domain::{Code, Coded, Failure, Header, Headers, Json};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use thiserror::Error;
use utoipa::ToSchema;

use pointer::Pointer;

/// What stands for a value that is masked.
pub(crate) const MASKED: &str = "•••";

/// What is shown to everybody who may look. By default, nothing.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    payload: Vec<Pointer>,
    headers: Vec<String>,
    keys: bool,
}

/// A rule that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{pointer:?} names no place in a payload: {problem}")]
pub struct MaskError {
    /// The rule.
    pub pointer: String,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl Coded for MaskError {
    fn code(&self) -> Code {
        Code::new("admin-mask-invalid")
    }
}

impl Shown {
    /// Shows places in payloads, with all that is below them, by JSON pointers in which `*` is any element or
    /// field; headers by name, in any case; and keys of records.
    ///
    /// # Errors
    /// When a pointer is none.
    pub fn new<'a>(
        payload: impl IntoIterator<Item = &'a str>,
        headers: impl IntoIterator<Item = &'a str>,
        keys: bool,
    ) -> Result<Self, MaskError> {
        let payload = payload.into_iter().map(Pointer::parse).collect::<Result<_, _>>()?;
        let headers = headers.into_iter().map(str::to_owned).collect();
        Ok(Self { payload, headers, keys })
    }
}

/// How somebody sees what came in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sight<'a> {
    /// As the rules say.
    Masked(&'a Shown),
    /// As it is. Somebody gave a reason, and the audit has it.
    Revealed,
}

/// A header as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Header)]
pub(crate) struct HeaderView {
    /// Its name.
    name: String,
    /// Its value; null when it has none.
    value: Option<String>,
    /// Its value in base64, when it is no text and was revealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// A failure as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Failure)]
pub(crate) struct FailureView {
    /// `ERROR_CODE`.
    code: String,
    /// `ERROR_MESSAGE`, without what may be somebody's data unless it was revealed.
    message: String,
}

impl FailureView {
    pub(crate) fn code(&self) -> &str {
        &self.code
    }
}

impl Sight<'_> {
    /// A payload, or the context of a process.
    pub(crate) fn json(&self, json: &Json) -> Option<Box<RawValue>> {
        match self {
            Self::Revealed => RawValue::from_string(json.as_str().to_owned()).ok(),
            Self::Masked(shown) => text::mask(json.as_str(), &shown.payload)
                .and_then(|text| RawValue::from_string(text).ok())
                .or_else(|| to_raw_value(MASKED).ok()),
        }
    }

    /// Headers, as they are stored.
    pub(crate) fn headers(&self, stored: Option<&Json>) -> Vec<HeaderView> {
        let headers = stored.and_then(|json| Headers::from_json(json).ok()).unwrap_or_default();
        headers.as_slice().iter().map(|header| self.header(header)).collect()
    }

    fn header(&self, header: &Header) -> HeaderView {
        let is_shown = match self {
            Self::Revealed => true,
            Self::Masked(shown) => {
                shown.headers.iter().any(|name| name.eq_ignore_ascii_case(&header.name))
            }
        };
        let text = header.value.as_deref().map(|bytes| (str::from_utf8(bytes).ok(), bytes));
        let (value, base64) = match text {
            None => (None, None),
            Some(_) if !is_shown => (Some(MASKED.to_owned()), None),
            Some((Some(text), _)) => (Some(text.to_owned()), None),
            Some((None, bytes)) => (None, Some(encoded(bytes))),
        };
        HeaderView { name: header.name.clone(), value, base64 }
    }

    /// The key of a record.
    pub(crate) fn key(&self, key: Option<&str>) -> Option<String> {
        let is_shown = match self {
            Self::Revealed => true,
            Self::Masked(shown) => shown.keys,
        };
        key.map(|key| if is_shown { key.to_owned() } else { MASKED.to_owned() })
    }

    /// Bytes that no rule can look into.
    pub(crate) fn bytes(&self, base64: Option<&str>) -> Option<String> {
        let of = |text: &str| match self {
            Self::Revealed => text.to_owned(),
            Self::Masked(_) => MASKED.to_owned(),
        };
        base64.map(of)
    }

    /// What failed. A message can hold anything, so only its pattern is shown.
    pub(crate) fn failure(&self, failure: Option<&Failure>) -> Option<FailureView> {
        failure.map(|failure| FailureView {
            code: failure.code().to_owned(),
            message: match self {
                Self::Revealed => failure.message().to_owned(),
                Self::Masked(_) => failure.pattern(),
            },
        })
    }
}

fn encoded(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers() -> Json {
        let bytes = Header { name: "bytes".to_owned(), value: Some(vec![0xff]) };
        let none = Header { name: "none".to_owned(), value: None };
        let text = Header { name: "Trace".to_owned(), value: Some(b"CANARY".to_vec()) };
        Headers::new(vec![bytes, none, text]).to_json().unwrap()
    }

    fn seen(sight: Sight<'_>) -> String {
        let failure = Failure::new("X", "no \"CANARY\" here");
        let parts = (
            sight.json(&Json::parse(r#"{"a":"CANARY"}"#).unwrap()),
            sight.headers(Some(&headers())),
            sight.key(Some("CANARY")),
            sight.bytes(Some("Q0FOQVJZ")),
            sight.failure(Some(&failure)),
        );
        serde_json::to_string(&parts).unwrap()
    }

    #[test]
    fn nothing_is_shown_that_no_rule_shows() {
        let text = seen(Sight::Masked(&Shown::default()));
        assert!(!text.contains("CANARY") && !text.contains("Q0FOQVJZ"), "{text}");
        assert!(text.contains(r#"{"a":"•••"}"#) && text.contains(r#""name":"Trace""#), "{text}");
        assert!(text.contains(r#"{"name":"none","value":null}"#), "{text}");
    }

    #[test]
    fn rules_show_what_they_name_and_nothing_else() {
        let shown = Shown::new(["/a"], ["trace"], true).unwrap();
        let text = seen(Sight::Masked(&shown));
        assert_eq!(text.matches("CANARY").count(), 3, "{text}");
        assert!(!text.contains("Q0FOQVJZ") && text.contains("no \\\"…\\\" here"), "{text}");
    }

    #[test]
    fn what_is_revealed_is_as_it_came() {
        let text = seen(Sight::Revealed);
        assert_eq!(text.matches("CANARY").count(), 4, "{text}");
        assert!(text.contains("Q0FOQVJZ") && text.contains(r#""base64":"/w==""#), "{text}");
    }
}
