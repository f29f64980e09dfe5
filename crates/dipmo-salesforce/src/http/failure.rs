//! What an answer that is no success means.

use serde::Deserialize;
use serde_json::Value as Json;

use super::answer::Answer;
use super::request::{About, Request};
use crate::class::Class;
use crate::code::codes;
use crate::error::Error;
use crate::method::Method;
use crate::row_error::RowError;

/// The error that an answer of no success is.
pub(crate) fn failure(request: &Request, answer: &Answer) -> Error {
    let error = match request.about {
        About::Login => of_login(answer),
        about => of_call(about, answer),
    };
    error
        .with_status(answer.status)
        .with_retry_after(answer.retry_after())
        .ambiguous(writes(request) && may_be_applied(answer.status))
}

/// Whether a request changes anything. A login changes nothing that anybody minds.
pub(crate) fn writes(request: &Request) -> bool {
    request.about != About::Login && request.method != Method::Get
}

/// These come from a gateway that gave up on Salesforce, which may go on. Other refusals are
/// Salesforce's own, or come from in front of it.
fn may_be_applied(status: u16) -> bool {
    matches!(status, 502 | 504)
}

fn of_call(about: About, answer: &Answer) -> Error {
    let said = serde_json::from_slice::<Json>(&answer.body).ok();
    if answer.status == 300 {
        return several(said.as_ref());
    }
    let Some(row) = said.as_ref().and_then(RowError::from_json) else { return of_status(answer) };
    let class = class_of_call(about, answer.status, &row);
    Error::of_row(class, row)
}

fn class_of_call(about: About, status: u16, row: &RowError) -> Class {
    match (status, row.class()) {
        (401, _) => Class::Unauthorized,
        (408 | 429, _) => Class::Transient,
        // Salesforce failed, unless it says more.
        (500.., Class::Permanent) => Class::Transient,
        // No job of that id: it was removed, or ended a week ago. What was in it is to be sent again.
        (404, Class::Permanent) if about == About::Job => Class::Unprocessed,
        // Not the fault of one record: the object, the field or the external id does not exist.
        (_, Class::Permanent) if about == About::Whole && names_nothing(row) => {
            Class::Misconfigured
        }
        (_, class) => class,
    }
}

/// Whether an object, a field or an external id does not exist. Other invalid fields are those of
/// one record.
fn names_nothing(row: &RowError) -> bool {
    match &*row.code {
        "NOT_FOUND" | "INVALID_TYPE" => true,
        "INVALID_FIELD" => ["No such column", "does not match an External ID"]
            .iter()
            .any(|part| row.message.contains(part)),
        _ => false,
    }
}

/// 300: Salesforce does not choose between records of the same external id.
fn several(said: Option<&Json>) -> Error {
    let found = said.and_then(Json::as_array).map_or(2, Vec::len);
    let message = format!("{found} records have this external id");
    Error::refused(Class::Permanent, "DUPLICATE_EXTERNAL_ID", message)
}

/// Salesforce did not say what is wrong.
fn of_status(answer: &Answer) -> Error {
    let what = if answer.is_page() { "a page for people" } else { "no reason" };
    match answer.status {
        429 => {
            Error::new(Class::Transient, codes::TOO_MANY_REQUESTS, "there were too many requests")
        }
        408 | 500.. => {
            let message = format!("Salesforce cannot answer at the moment: there was {what}");
            Error::new(Class::Transient, codes::UNAVAILABLE, message)
        }
        401 => Error::new(Class::Unauthorized, codes::UNEXPLAINED, "the session is not taken"),
        // A redirect, or something that does not know the API.
        300..=399 | 403 | 404 | 405 | 410 => {
            let message = format!("what answers is no API of Salesforce: there was {what}");
            Error::new(Class::Misconfigured, codes::WRONG_URL, message)
        }
        _ => {
            let message = format!("the request was refused: there was {what}");
            Error::new(Class::Permanent, codes::UNEXPLAINED, message)
        }
    }
}

/// What the endpoint for tokens answers.
#[derive(Deserialize)]
struct Refused {
    error: String,
    #[serde(default)]
    error_description: String,
}

fn of_login(answer: &Answer) -> Error {
    let Ok(refused) = serde_json::from_slice::<Refused>(&answer.body) else {
        return match answer.status {
            408 | 429 | 500.. => of_status(answer),
            _ => Error::new(
                Class::Misconfigured,
                codes::WRONG_URL,
                "what answers at login_url is no Salesforce",
            ),
        };
    };
    let Refused { error, error_description } = refused;
    let class = match (answer.status, &*error) {
        (408 | 429 | 500.., _) | (_, "server_error" | "temporarily_unavailable") => {
            Class::Transient
        }
        (_, code) if code.eq_ignore_ascii_case("login_rate_exceeded") => Class::Transient,
        // The host is one for everybody, and this way of logging in needs that of the org.
        (_, "invalid_grant") if error_description.contains("not supported on this domain") => {
            Class::Misconfigured
        }
        _ => Class::Unauthorized,
    };
    Error::refused(class, error, error_description)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use reqwest::header::HeaderMap;
    use serde_json::json;

    use super::*;
    use crate::http::request::Body;

    fn answer(status: u16, body: &str) -> Answer {
        Answer { status, headers: HeaderMap::new(), body: Bytes::copy_from_slice(body.as_bytes()) }
    }

    fn failed(method: Method, about: About, status: u16, body: &str) -> Error {
        let request = Request::new(method, "/x".to_owned(), Body::Empty, about);
        failure(&request, &answer(status, body))
    }

    fn refusal(code: &str) -> String {
        json!([{ "errorCode": code, "message": "no" }]).to_string()
    }

    #[test]
    fn who_is_to_blame_depends_on_what_the_call_is_about() {
        for (about, status, code, class) in [
            (About::Record, 404, "NOT_FOUND", Class::Permanent),
            (About::Whole, 404, "NOT_FOUND", Class::Misconfigured),
            (About::Job, 404, "NOT_FOUND", Class::Unprocessed),
            (About::Record, 400, "INVALID_FIELD", Class::Permanent),
            (About::Whole, 400, "INVALID_FIELD", Class::Permanent),
            (About::Whole, 400, "JSON_PARSER_ERROR", Class::Permanent),
            (About::Whole, 400, "INVALIDJOB", Class::Misconfigured),
            (About::Record, 404, "URL_NOT_RESET", Class::Misconfigured),
            (About::Record, 500, "APEX_ERROR", Class::Transient),
            (About::Record, 503, "API_DISABLED_FOR_ORG", Class::OrgUnavailable),
            (About::Record, 401, "INVALID_SESSION_ID", Class::Unauthorized),
            (About::Record, 403, "REQUEST_LIMIT_EXCEEDED", Class::QuotaExhausted),
        ] {
            let error = failed(Method::Patch, about, status, &refusal(code));
            assert_eq!((error.class(), error.code()), (class, code), "{about:?} {status}");
        }
    }

    #[test]
    fn a_field_that_does_not_exist_is_nobodys_fault() {
        let column = "No such column 'X' on sobject of type Contact";
        let body = json!([{ "errorCode": "INVALID_FIELD", "message": column }]).to_string();
        for (about, class) in
            [(About::Whole, Class::Misconfigured), (About::Record, Class::Permanent)]
        {
            assert_eq!(failed(Method::Patch, about, 400, &body).class(), class, "{about:?}");
        }
    }

    #[test]
    fn a_page_for_people_is_told_by_its_status() {
        for (status, class, code) in [
            (302, Class::Misconfigured, codes::WRONG_URL),
            (404, Class::Misconfigured, codes::WRONG_URL),
            (400, Class::Permanent, codes::UNEXPLAINED),
            (429, Class::Transient, codes::TOO_MANY_REQUESTS),
            (502, Class::Transient, codes::UNAVAILABLE),
            (503, Class::Transient, codes::UNAVAILABLE),
        ] {
            let error = failed(Method::Patch, About::Record, status, "<html>hush</html>");
            assert_eq!((error.class(), error.code()), (class, code.as_str()), "{status}");
            assert!(!error.to_string().contains("hush"), "{error}");
        }
    }

    #[test]
    fn only_a_gateway_leaves_it_open_whether_a_write_was_applied() {
        for (method, about, status, ambiguous) in [
            (Method::Patch, About::Record, 502, true),
            (Method::Patch, About::Record, 504, true),
            (Method::Patch, About::Record, 503, false),
            (Method::Patch, About::Record, 500, false),
            (Method::Get, About::Whole, 502, false),
            (Method::Post, About::Login, 502, false),
        ] {
            let error = failed(method, about, status, "<html>");
            assert_eq!(error.is_ambiguous(), ambiguous, "{method:?} {status}");
        }
    }

    #[test]
    fn logins_are_refused_for_the_credentials_the_host_or_the_moment() {
        let refused = |status, error: &str, description: &str| {
            let body = json!({ "error": error, "error_description": description }).to_string();
            failed(Method::Post, About::Login, status, &body)
        };
        let wrong = refused(400, "invalid_client", "invalid client credentials");
        assert_eq!((wrong.class(), wrong.code()), (Class::Unauthorized, "invalid_client"));
        let host = refused(400, "invalid_grant", "request not supported on this domain");
        assert_eq!(host.class(), Class::Misconfigured);
        assert_eq!(refused(503, "server_error", "").class(), Class::Transient);
        let page = failed(Method::Post, About::Login, 200, "<html>");
        assert_eq!((page.class(), page.code()), (Class::Misconfigured, codes::WRONG_URL.as_str()));
        let edge = failed(Method::Post, About::Login, 503, "<html>");
        assert_eq!(edge.class(), Class::Transient);
    }

    #[test]
    fn several_records_of_one_external_id_are_permanent() {
        let error = failed(Method::Patch, About::Record, 300, r#"["/a","/b","/c"]"#);
        assert_eq!((error.class(), error.code()), (Class::Permanent, "DUPLICATE_EXTERNAL_ID"));
        assert_eq!(error.message(), "3 records have this external id");
    }
}
