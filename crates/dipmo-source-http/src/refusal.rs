//! Why a request was not taken, as a problem document (RFC 9457): what is wrong, where, and what to do.
//!
//! Nothing here repeats a value of the request.

use dipmo_domain::Code;
use hyper::StatusCode;
use serde::Serialize;

use crate::fields::FieldError;

/// Seconds after which a full queue is likely to have room.
const SOON: u32 = 1;
/// Seconds after which a database is likely to answer.
const LATER: u32 = 5;
/// Seconds after which an inbox may have been worked off.
const MUCH_LATER: u32 = 15;

/// A request that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) code: Code,
    title: &'static str,
    detail: String,
    errors: Vec<FieldError>,
    /// Methods that the path knows.
    pub(crate) allow: Option<&'static str>,
    /// Seconds to wait before the request is repeated.
    pub(crate) retry_after: Option<u32>,
}

#[derive(Serialize)]
struct Document<'a> {
    r#type: String,
    title: &'a str,
    status: u16,
    code: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
}

impl Refusal {
    fn new(status: StatusCode, code: Code, title: &'static str, detail: impl Into<String>) -> Self {
        let (errors, detail) = (Vec::new(), detail.into());
        Self { status, code, title, detail, errors, allow: None, retry_after: None }
    }

    /// The document.
    pub(crate) fn document(&self) -> Vec<u8> {
        let document = Document {
            r#type: format!("urn:dipmo:error:{}", self.code),
            title: self.title,
            status: self.status.as_u16(),
            code: self.code.as_str(),
            detail: &self.detail,
            errors: &self.errors,
        };
        serde_json::to_vec(&document).unwrap_or_default()
    }

    pub(crate) fn unauthorized() -> Self {
        let detail = "the header Authorization has no bearer token that is known here";
        let code = Code::new("http-unauthorized");
        Self::new(StatusCode::UNAUTHORIZED, code, "Who are you?", detail)
    }

    pub(crate) fn forbidden() -> Self {
        let detail = "the certificate that was shown has no DNS name that may post here, or several and none is listed";
        Self::new(StatusCode::FORBIDDEN, Code::new("http-forbidden"), "Not for you", detail)
    }

    pub(crate) fn unknown_path() -> Self {
        let detail = "there is nothing under this path";
        Self::new(StatusCode::NOT_FOUND, Code::new("http-path-unknown"), "Not found", detail)
    }

    pub(crate) fn unknown_request() -> Self {
        let detail = "no request of yours with this key is known here, or it is known no more";
        let code = Code::new("http-request-unknown");
        Self::new(StatusCode::NOT_FOUND, code, "Request not found", detail)
    }

    pub(crate) fn wrong_method(allow: &'static str) -> Self {
        let detail = format!("this path knows {allow} only");
        let code = Code::new("http-method-unknown");
        let refusal = Self::new(StatusCode::METHOD_NOT_ALLOWED, code, "Wrong method", detail);
        Self { allow: Some(allow), ..refusal }
    }

    pub(crate) fn key_missing() -> Self {
        let detail = "the header Idempotency-Key is missing: only with a key can a request be \
                      repeated without taking effect twice";
        let code = Code::new("http-key-missing");
        Self::new(StatusCode::BAD_REQUEST, code, "Idempotency key missing", detail)
    }

    pub(crate) fn key_invalid() -> Self {
        let detail = "the Idempotency-Key is one of 1 to 255 visible ASCII characters, given once, and not `.` or `..`";
        let code = Code::new("http-key-invalid");
        Self::new(StatusCode::BAD_REQUEST, code, "Idempotency key invalid", detail)
    }

    pub(crate) fn key_reused() -> Self {
        let detail = "another body was taken under this Idempotency-Key before: nothing was done. \
                      Use a new key for a new request, and the same body to repeat one";
        let code = Code::new("http-key-reused");
        Self::new(StatusCode::CONFLICT, code, "Idempotency key reused", detail)
    }

    pub(crate) fn wrong_media_type() -> Self {
        let detail = "the body must be JSON in UTF-8 that is not compressed: Content-Type is \
                      application/json, or ends in +json";
        let code = Code::new("http-media-type-unknown");
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, code, "Wrong media type", detail)
    }

    pub(crate) fn too_large(limit: usize) -> Self {
        let detail = format!("the body is larger than {limit} bytes");
        let code = Code::new("http-body-too-large");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, code, "Body too large", detail)
    }

    pub(crate) fn too_slow() -> Self {
        let detail = "the body did not come in time: nothing was taken";
        let code = Code::new("http-body-late");
        Self::new(StatusCode::REQUEST_TIMEOUT, code, "Body too slow", detail)
    }

    pub(crate) fn cut_off() -> Self {
        let detail = "the body ended before it was complete: nothing was taken";
        let code = Code::new("http-body-cut-off");
        Self::new(StatusCode::BAD_REQUEST, code, "Body cut off", detail)
    }

    /// The body is no JSON that could be stored.
    pub(crate) fn no_json(code: Code, detail: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, "Body is not JSON", detail)
    }

    pub(crate) fn violates_schema(errors: Vec<FieldError>) -> Self {
        let detail = "the body is not what its JSON Schema asks for: see errors";
        let code = Code::new("http-schema-violated");
        let refusal =
            Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, "Body not as agreed", detail);
        Self { errors, ..refusal }
    }

    /// The rules of the path find no message in the body.
    pub(crate) fn undecodable(detail: &str) -> Self {
        let code = Code::new("http-body-undecodable");
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, "Body cannot be taken", detail)
    }

    /// The database refuses the row.
    pub(crate) fn refused_by_store() -> Self {
        let detail =
            "the database refuses this body: nothing was taken, and repeating it helps nobody";
        let code = Code::new("http-body-refused");
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, "Body refused", detail)
    }

    /// Too many requests wait already.
    pub(crate) fn busy() -> Self {
        let detail = "too many requests wait already: this attempt was not taken";
        Self::unavailable(Code::new("http-busy"), detail.to_owned(), SOON)
    }

    /// The inbox has more than can be worked off.
    pub(crate) fn inbox_full() -> Self {
        let detail = "more waits to be processed than is good: this attempt was not taken";
        Self::unavailable(Code::new("http-inbox-full"), detail.to_owned(), MUCH_LATER)
    }

    /// An operator holds the source back. Why is for operators, not for clients.
    pub(crate) fn paused() -> Self {
        let detail = "nothing is taken at the moment, on purpose: this attempt was not taken";
        Self::unavailable(Code::new("http-source-paused"), detail.to_owned(), MUCH_LATER)
    }

    /// The database is known not to answer at the moment.
    pub(crate) fn database_away() -> Self {
        let detail = "the database does not answer: this attempt was not taken";
        Self::unavailable(Code::new("http-database-away"), detail.to_owned(), LATER)
    }

    /// Where a request stands, which the database does not say at the moment.
    pub(crate) fn untold() -> Self {
        let detail = "where it stands cannot be told now: the database does not answer";
        Self::unavailable(Code::new("http-database-away"), detail.to_owned(), LATER)
    }

    /// The database did not answer in time: what became of the request is not known.
    pub(crate) fn no_answer(key_was_given: bool) -> Self {
        let repeat = if key_was_given {
            "Repeating it with the same Idempotency-Key and body is safe"
        } else {
            "Without an Idempotency-Key, repeating it may take effect twice"
        };
        let detail = format!(
            "the database did not answer in time: the request may have been taken. {repeat}"
        );
        Self::unavailable(Code::new("http-no-answer"), detail, LATER)
    }

    /// The source ends.
    pub(crate) fn stopping() -> Self {
        let detail = "this instance ends: this attempt was not taken";
        Self::unavailable(Code::new("http-stopping"), detail.to_owned(), SOON)
    }

    fn unavailable(code: Code, detail: String, seconds: u32) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        let refusal = Self::new(status, code, "Come back later", detail);
        Self { retry_after: Some(seconds), ..refusal }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(refusal: &Refusal) -> Value {
        serde_json::from_slice(&refusal.document()).unwrap()
    }

    #[test]
    fn a_refusal_is_a_problem_document() {
        let errors =
            vec![FieldError { pointer: "/total".to_owned(), detail: "no number".to_owned() }];
        let said = read(&Refusal::violates_schema(errors));
        assert_eq!(said["type"], "urn:dipmo:error:http-schema-violated");
        assert_eq!(said["status"], 422);
        assert_eq!(said["errors"], json!([{"pointer": "/total", "detail": "no number"}]));
        assert_eq!(read(&Refusal::unauthorized()).get("errors"), None);
    }

    #[test]
    fn whether_repeating_is_safe_depends_on_the_key() {
        let detail = |given| read(&Refusal::no_answer(given))["detail"].to_string();
        assert!(detail(true).contains("same Idempotency-Key and body is safe"));
        assert!(detail(false).contains("may take effect twice"));
    }
}
