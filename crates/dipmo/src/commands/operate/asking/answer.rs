//! What the API answered: JSON, or a problem document (RFC 9457) that says what is wrong.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde_json::Value;
use serde_json::value::RawValue;

use super::refused::{Refused, Where};

/// An answer as it came.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// What was asked for, as a value and as it was written: a payload is shown to the letter.
#[derive(Debug, Default)]
pub(crate) struct Told {
    value: Value,
    text: String,
}

impl Answer {
    /// What was asked for, or why there is none.
    pub(crate) fn read(self, at: &Where) -> Result<Told, Refused> {
        let is_done = (200..300).contains(&self.status);
        if is_done && self.body.is_empty() {
            return Ok(Told::default());
        }
        let text = String::from_utf8(self.body).unwrap_or_default();
        match serde_json::from_str::<Value>(&text) {
            Ok(value) if is_done => Ok(Told { value, text }),
            Ok(document) if document["code"].is_string() => {
                let document = Box::new(document);
                Err(Refused::Problem { status: self.status, document, at: at.clone() })
            }
            _ => Err(Refused::NotTheApi { status: self.status, at: at.clone() }),
        }
    }
}

impl Told {
    /// All of it in one line: what stands between values is left out, and nothing else.
    pub(crate) fn in_one_line(&self) -> String {
        let (mut within_text, mut escaped) = (false, false);
        let is_kept = |sign: &char| {
            let is_end = *sign == '"' && !escaped;
            escaped = within_text && *sign == '\\' && !escaped;
            within_text ^= is_end;
            within_text || !sign.is_ascii_whitespace()
        };
        self.text.chars().filter(is_kept).collect()
    }

    /// A field as it was written.
    pub(crate) fn written(&self, name: &str) -> Option<String> {
        let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(&self.text).ok()?;
        let written = fields.get(name)?.get();
        (written != "null").then(|| written.to_owned())
    }
}

impl Deref for Told {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, body: &str) -> Result<Told, Refused> {
        Answer { status, body: body.as_bytes().to_vec() }.read(&Where::Here)
    }

    #[test]
    fn what_is_told_is_shown_to_the_letter_and_in_one_line() {
        let told =
            read(200, "{\"b\": 1.50,\n \"a\": {\"t\": \"x \\\" \\\\\", \"u\": \" y\"} }").unwrap();
        assert_eq!(told.in_one_line(), r#"{"b":1.50,"a":{"t":"x \" \\","u":" y"}}"#);
        assert_eq!(told.written("b").as_deref(), Some("1.50"));
        assert_eq!(told["b"], 1.5);
    }

    #[test]
    fn only_a_problem_document_is_a_no_of_the_api() {
        assert!(read(204, "").is_ok_and(|told| told.is_null()));
        assert!(matches!(read(404, r#"{"code":"x"}"#), Err(Refused::Problem { status: 404, .. })));
        for (status, body) in [(200, "<html>"), (404, "{}"), (502, "bad gateway")] {
            assert!(matches!(read(status, body), Err(Refused::NotTheApi { .. })), "{body}");
        }
    }
}
