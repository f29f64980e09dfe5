//! How Salesforce refuses one record.
//!
//! The same refusal is written in three ways: REST has `errorCode`, Collections has `statusCode`, a
//! bulk result has one cell.

use std::fmt;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::class::Class;
use crate::code::codes;

/// The refusal of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// Such as `REQUIRED_FIELD_MISSING`.
    pub code: String,
    /// What Salesforce says.
    pub message: String,
    /// The fields that it blames.
    pub fields: Vec<String>,
}

/// An error as REST and Collections write it.
#[derive(Deserialize)]
struct Written {
    #[serde(rename = "errorCode", alias = "statusCode")]
    code: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    fields: Option<Vec<String>>,
}

impl RowError {
    /// What to do next.
    #[must_use]
    pub fn class(&self) -> Class {
        Class::of(&self.code, &self.message)
    }

    /// The first error of a body such as `[{"errorCode": …}]`, or of a single such object.
    ///
    /// With several errors the first that is not just a consequence of another is the cause.
    pub(crate) fn from_json(body: &Json) -> Option<Self> {
        let read = |json: &Json| Written::deserialize(json).ok().map(Self::from);
        let Json::Array(list) = body else { return read(body) };
        let mut errors = list.iter().filter_map(read);
        let first = errors.next()?;
        if first.class() != Class::Innocent {
            return Some(first);
        }
        Some(errors.find(|error| error.class() != Class::Innocent).unwrap_or(first))
    }

    /// A cell `sf__Error`: `CODE:message:fields --`, in which the message may have colons.
    pub(crate) fn from_cell(cell: &str) -> Self {
        let text = cell.strip_suffix("--").unwrap_or(cell).trim_end();
        let Some((code, rest)) = text.split_once(':') else {
            return Self::unexplained(text);
        };
        let (message, fields) = match rest.rsplit_once(':') {
            Some((message, fields)) if cell.ends_with("--") => (message, fields),
            _ => (rest, ""),
        };
        let fields = fields.split(',').map(str::trim).filter(|field| !field.is_empty());
        Self {
            code: code.trim().to_owned(),
            message: message.trim().to_owned(),
            fields: fields.map(str::to_owned).collect(),
        }
    }

    /// The `errorMessage` of a job: `InvalidBatch : Field name not found : X`.
    pub(crate) fn from_job(message: &str) -> Self {
        match message.split_once(':') {
            // A code is one word.
            Some((code, rest)) if !code.trim().contains(char::is_whitespace) => Self {
                code: code.trim().to_owned(),
                message: rest.trim().to_owned(),
                fields: Vec::new(),
            },
            _ => Self::unexplained(message),
        }
    }

    /// A refusal that has no code.
    pub(crate) fn unexplained(message: &str) -> Self {
        let message = if message.is_empty() { "Salesforce gave no reason" } else { message };
        Self {
            code: codes::UNEXPLAINED.as_str().to_owned(),
            message: message.to_owned(),
            fields: Vec::new(),
        }
    }
}

impl From<Written> for RowError {
    fn from(written: Written) -> Self {
        let Written { code, message, fields } = written;
        Self { code, message, fields: fields.unwrap_or_default() }
    }
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        if self.fields.is_empty() { Ok(()) } else { write!(f, " [{}]", self.fields.join(", ")) }
    }
}

impl std::error::Error for RowError {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(code: &str, message: &str, fields: &[&str]) -> RowError {
        let fields = fields.iter().map(|&field| field.to_owned()).collect();
        RowError { code: code.to_owned(), message: message.to_owned(), fields }
    }

    #[test]
    fn a_refusal_is_read_from_its_three_forms() {
        let expected = error("STRING_TOO_LONG", "Last: too large", &["LastName"]);
        let rest = json!([{ "errorCode": "STRING_TOO_LONG", "message": "Last: too large", "fields": ["LastName"] }]);
        let collections = json!([{ "statusCode": "STRING_TOO_LONG", "message": "Last: too large", "fields": ["LastName"] }]);
        assert_eq!(RowError::from_json(&rest).as_ref(), Some(&expected));
        assert_eq!(RowError::from_json(&rest[0]).as_ref(), Some(&expected));
        assert_eq!(RowError::from_json(&collections).as_ref(), Some(&expected));
        assert_eq!(RowError::from_cell("STRING_TOO_LONG:Last: too large:LastName --"), expected);
        assert_eq!(RowError::from_cell("STRING_TOO_LONG:Last: too large:LastName--"), expected);
    }

    #[test]
    fn a_cell_may_have_no_fields_several_or_no_form_at_all() {
        for (cell, expected) in [
            ("A:b: c:--", error("A", "b: c", &[])),
            ("A:b:X,Y --", error("A", "b", &["X", "Y"])),
            ("A:b: c", error("A", "b: c", &[])),
            ("went wrong", error("salesforce-unexplained", "went wrong", &[])),
            ("", error("salesforce-unexplained", "Salesforce gave no reason", &[])),
        ] {
            assert_eq!(RowError::from_cell(cell), expected, "{cell}");
        }
    }

    #[test]
    fn the_message_of_a_job_begins_with_its_code() {
        let read = RowError::from_job("InvalidBatch : Field name not found : X");
        assert_eq!(read, error("InvalidBatch", "Field name not found : X", &[]));
        assert_eq!(read.class(), Class::Misconfigured);
        let line_ending =
            RowError::from_job("ClientInputError : LineEnding is invalid on user data");
        assert_eq!(line_ending.class(), Class::Misconfigured);
        assert_eq!(RowError::from_job("no code: here").code, "salesforce-unexplained");
    }

    #[test]
    fn the_cause_counts_and_not_its_consequences() {
        let body = json!([
            { "errorCode": "PROCESSING_HALTED", "message": "rolled back" },
            { "errorCode": "STRING_TOO_LONG", "message": "too long" },
        ]);
        assert_eq!(RowError::from_json(&body).unwrap().code, "STRING_TOO_LONG");
        assert_eq!(RowError::from_json(&json!(["text"])), None);
        assert_eq!(RowError::from_json(&json!([])), None);
    }
}
