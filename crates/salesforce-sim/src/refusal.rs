//! How Salesforce says no to one record or one request.
//!
//! The same refusal is written in three ways, and clients that mix them up are a known source of
//! lost errors: REST has `errorCode`, Collections has `statusCode`, a bulk result has one cell.

use jiff::Timestamp;
use serde_json::{Value as Json, json};

/// How many characters of a value are repeated.
const MOST_SHOWN: usize = 255;

/// A refused record or request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The HTTP status where the refusal is the answer to a whole request.
    pub(crate) status: u16,
    /// Such as `REQUIRED_FIELD_MISSING`.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// The fields that it is about, as the API names them.
    pub(crate) fields: Vec<String>,
    pub(crate) scope: Scope,
    /// Until when somebody else holds the row, if that is the reason.
    pub(crate) held_until: Option<Timestamp>,
}

/// What is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The request could not be read or has no place; REST names no `fields` then, and Collections
    /// refuses all its records.
    Request,
    /// The request was read, and this record cannot be.
    Record,
}

impl Refusal {
    /// A refusal of status 400, which most are.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Refusal {
            status: 400,
            code,
            message: message.into(),
            fields: Vec::new(),
            scope: Scope::Request,
            held_until: None,
        }
    }

    /// The same about one record.
    pub(crate) fn of_record(code: &'static str, message: impl Into<String>) -> Self {
        Refusal { scope: Scope::Record, ..Refusal::new(code, message) }
    }

    /// There is nothing at this path.
    pub(crate) fn not_found() -> Self {
        Refusal::new("NOT_FOUND", "The requested resource does not exist").with_status(404)
    }

    /// There is something at this path, but for other methods.
    pub(crate) fn method_not_allowed(method: &str, allowed: &str) -> Self {
        let words = format!("HTTP Method '{method}' not allowed. Allowed are {allowed}");
        Refusal::new("METHOD_NOT_ALLOWED", words).with_status(405)
    }

    /// Nobody is logged in with that token.
    pub(crate) fn session_expired() -> Self {
        Refusal::new("INVALID_SESSION_ID", "Session expired or invalid").with_status(401)
    }

    /// Something went wrong inside.
    pub(crate) fn unknown_exception() -> Self {
        let words = "An unexpected error occurred. Please include this ErrorId if you contact support: \
                     1763308800000-10 (-1234567890)";
        Refusal::new("UNKNOWN_EXCEPTION", words).with_status(500)
    }

    /// A request with more of something than fits into one.
    pub(crate) fn too_many(limit: usize, what: &str) -> Self {
        let words = format!("The request can’t contain more than {limit} {what}.");
        Refusal::new("LIMIT_EXCEEDED", words)
    }

    /// The same with another status.
    pub(crate) fn with_status(self, status: u16) -> Self {
        Refusal { status, ..self }
    }

    /// The same about these fields of a record.
    pub(crate) fn about<S: Into<String>>(self, fields: impl IntoIterator<Item = S>) -> Self {
        let fields = fields.into_iter().map(Into::into).collect();
        Refusal { fields, scope: Scope::Record, ..self }
    }

    /// The same because somebody holds the row until then.
    pub(crate) fn held_until(self, until: Timestamp) -> Self {
        Refusal { held_until: Some(until), ..self }
    }

    /// An element of the array that a REST call answers.
    pub(crate) fn in_rest(&self) -> Json {
        match self.scope {
            Scope::Request => json!({ "message": self.message, "errorCode": self.code }),
            Scope::Record => {
                json!({ "message": self.message, "errorCode": self.code, "fields": self.fields })
            }
        }
    }

    /// An element of `errors` of one result of Collections.
    pub(crate) fn in_collections(&self) -> Json {
        json!({ "statusCode": self.code, "message": self.message, "fields": self.fields })
    }

    /// The cell `sf__Error` of a bulk result.
    pub(crate) fn in_bulk(&self) -> String {
        let Refusal { code, message, fields, .. } = self;
        if fields.is_empty() {
            format!("{code}:{message}:--")
        } else {
            format!("{code}:{message}:{} --", fields.join(","))
        }
    }
}

/// As much of a value as a refusal repeats of it.
///
/// [U] How much Salesforce repeats; without an end a refusal would be as long as what it refuses.
pub(crate) fn shown(value: &str) -> &str {
    value.char_indices().nth(MOST_SHOWN).map_or(value, |(end, _)| &value[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_refusal_has_three_renderings() {
        let refusal =
            Refusal::new("REQUIRED_FIELD_MISSING", "Required fields are missing: [LastName]")
                .about(["LastName"]);
        assert_eq!(refusal.in_rest()["errorCode"], "REQUIRED_FIELD_MISSING");
        assert_eq!(refusal.in_collections()["statusCode"], "REQUIRED_FIELD_MISSING");
        assert_eq!(
            refusal.in_bulk(),
            "REQUIRED_FIELD_MISSING:Required fields are missing: [LastName]:LastName --"
        );
    }

    #[test]
    fn a_refusal_about_no_field_names_none() {
        let refusal = Refusal::new("NOT_FOUND", "The requested resource does not exist");
        assert!(refusal.in_rest().get("fields").is_none());
        let of_record = Refusal::of_record("DELETE_FAILED", "It has children.");
        assert_eq!(of_record.in_rest()["fields"], json!([]));
        assert_eq!(refusal.in_collections()["fields"], json!([]));
        assert_eq!(refusal.in_bulk(), "NOT_FOUND:The requested resource does not exist:--");
    }

    #[test]
    fn a_long_value_is_repeated_in_part() {
        for (length, expected) in [(0, 0), (255, 255), (256, 255), (32_000, 255)] {
            assert_eq!(shown(&"ü".repeat(length)).chars().count(), expected);
        }
    }
}
