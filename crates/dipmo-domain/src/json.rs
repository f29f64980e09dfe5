//! JSON as it was written: checked, never re-encoded.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use thiserror::Error;

use crate::{Code, Coded};

/// How deep arrays and objects may nest. PostgreSQL's parser gives up near 7,000 levels and
/// Oracle's and serde's far earlier; what is deeper is kept as bytes, like anything undecodable.
pub const MAX_JSON_DEPTH: usize = 128;

/// One JSON text that every store accepts, kept byte for byte.
///
/// Order of keys, duplicate keys, `\u0000`, lone surrogates and numbers beyond a double are all
/// left as they came: `PAYLOAD` is `json` in PostgreSQL, not `jsonb`, for that reason. Cloning is
/// cheap: the 2,000 units of one intent share its payload.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Arc<str>);

/// Why bytes are not a [`Json`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JsonError {
    /// Not UTF-8, so not JSON.
    #[error("not UTF-8: the first invalid byte is at {at}")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        at: usize,
    },
    /// The grammar of JSON does not hold.
    #[error("not JSON: {reason}")]
    NotJson {
        /// What the parser met, with line and column.
        reason: String,
    },
    /// Valid, but deeper than the databases and parsers behind us can take.
    #[error("JSON nested {depth} levels deep; at most {MAX_JSON_DEPTH} can be stored as JSON")]
    TooDeep {
        /// The nesting found.
        depth: usize,
    },
}

impl Coded for JsonError {
    fn code(&self) -> Code {
        match self {
            Self::NotUtf8 { .. } => Code::new("json-not-utf8"),
            Self::NotJson { .. } => Code::new("json-malformed"),
            Self::TooDeep { .. } => Code::new("json-too-deep"),
        }
    }
}

impl Json {
    /// Checks bytes from the wire.
    ///
    /// # Errors
    /// When the bytes are not one JSON text, or are nested too deep; the bytes are then to be kept raw.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JsonError> {
        let text = str::from_utf8(bytes).map_err(|e| JsonError::NotUtf8 { at: e.valid_up_to() })?;
        Self::parse(text)
    }

    /// Checks a text.
    ///
    /// # Errors
    /// As [`Json::from_bytes`].
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let depth = depth(text);
        if depth > MAX_JSON_DEPTH {
            // Malformed and too deep at once is malformed: nobody can lift a limit to help that.
            check_grammar(text)?;
            return Err(JsonError::TooDeep { depth });
        }
        check_grammar(text)?;
        Ok(Self(text.into()))
    }

    /// The JSON of a value of ours.
    ///
    /// # Errors
    /// When the value has no JSON form, such as a map with keys that are not strings.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        let text = serde_json::to_string(value)
            .map_err(|e| JsonError::NotJson { reason: e.to_string() })?;
        Self::parse(&text)
    }

    /// A text that a store gives back: it was checked when it was stored, and reading must not cost
    /// a second parse of every payload.
    #[must_use]
    pub fn from_store(text: String) -> Self {
        Self(text.into())
    }

    /// As [`Json::from_store`], of a text that lies in the buffer of a driver: copied once.
    #[must_use]
    pub fn from_store_str(text: &str) -> Self {
        Self(text.into())
    }

    /// The JSON text `null`: the payload of a tombstone.
    #[must_use]
    pub fn null() -> Self {
        Self("null".into())
    }

    /// The JSON text `{}`.
    #[must_use]
    pub fn empty_object() -> Self {
        Self("{}".into())
    }

    /// The text, as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads the text into a type.
    ///
    /// # Errors
    /// When the text has another shape.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({})", self.0)
    }
}

/// `IgnoredAny` walks without recursion and without looking at the meaning of escapes or numbers.
fn check_grammar(text: &str) -> Result<(), JsonError> {
    serde_json::from_str::<IgnoredAny>(text)
        .map(|_| ())
        .map_err(|e| JsonError::NotJson { reason: e.to_string() })
}

/// The nesting of brackets outside of strings; right for valid JSON, harmless for other text.
///
/// Most texts do not have as many brackets as would be too deep: counting them is far quicker than
/// walking, and their number is deep enough for an answer.
fn depth(text: &str) -> usize {
    // The two differ in one bit; 255 at a time, a byte is wide enough for the sum.
    let opens = |bytes: &[u8]| bytes.iter().map(|byte| u8::from(byte | 0x20 == b'{')).sum::<u8>();
    let open: usize = text.as_bytes().chunks(255).map(|bytes| usize::from(opens(bytes))).sum();
    if open <= MAX_JSON_DEPTH {
        return open;
    }
    let (mut now, mut most, mut in_string, mut escaped) = (0usize, 0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                now += 1;
                most = most.max(now);
            }
            b']' | b'}' if !in_string => now = now.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_but_valid_json_is_kept_to_the_letter() {
        for text in [
            r#"{"a":1,"a":2}"#,
            r#""\u0000""#,
            r#""\ud800""#,
            "1e400",
            "123456789012345678901234567890.5",
            " {\"z\": 1,\t\"a\": 2} ",
            "null",
        ] {
            assert_eq!(Json::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn what_is_not_json_says_where() {
        assert_eq!(Json::from_bytes(b"\"a\xff\""), Err(JsonError::NotUtf8 { at: 2 }));
        let error = Json::parse("{\"a\":}").unwrap_err();
        assert!(error.to_string().contains("line 1 column 6"), "{error}");
        assert!(Json::parse("").is_err());
        assert!(Json::parse("{} {}").is_err());
    }

    #[test]
    fn ten_thousand_levels_are_too_deep_and_nothing_overflows() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(Json::parse(&deep), Err(JsonError::TooDeep { depth: 10_000 }));
        let open = "[".repeat(10_000);
        assert!(matches!(Json::parse(&open), Err(JsonError::NotJson { .. })));
        let brackets_in_text = format!("\"{}\"", "[".repeat(10_000));
        assert!(Json::parse(&brackets_in_text).is_ok());
    }

    #[test]
    fn what_is_stored_can_be_read_back_by_serde() {
        let most = format!("{}{}", "[".repeat(MAX_JSON_DEPTH - 1), "]".repeat(MAX_JSON_DEPTH - 1));
        assert!(Json::parse(&most).unwrap().read::<serde_json::Value>().is_ok());
    }
}
