//! Why a request was not done, as a problem document (RFC 9457): a code, what happened, what to do.
//!
//! **Invariant:** nothing here repeats a token, a payload or a secret; whoever is not known is told nothing
//! of the database.

use std::collections::BTreeSet;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use dipmo_domain::{Code, Coded as _, ProcessKey, StoreError, Timestamp};
use hyper::StatusCode;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde::Serialize;
use utoipa::ToSchema;

use crate::roles::Role;

/// Seconds after which a database is likely to answer.
const LATER: u64 = 5;

/// So many names are told to who says one that is not there.
const MOST_NAMES: usize = 50;

/// A request that was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem(Box<Document>);

/// A problem document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct Document {
    /// `urn:dipmo:error:` and the code.
    r#type: String,
    /// A few words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// The name of the error; its page is `docs/errors/<code>.md`.
    code: &'static str,
    /// What happened.
    detail: String,
    /// What to do.
    hint: String,
    /// The parameter or field that is wrong, when one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<String>,
    /// Seconds to wait before the request is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        code: Code,
        title: &'static str,
        detail: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self(Box::new(Document {
            r#type: format!("urn:dipmo:error:{code}"),
            title,
            status: status.as_u16(),
            code: code.as_str(),
            detail: detail.into(),
            hint: hint.into(),
            parameter: None,
            retry_after: None,
        }))
    }

    /// What happened.
    pub(crate) fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The document.
    pub(crate) fn document(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    fn of_parameter(mut self, name: &str) -> Self {
        self.0.parameter = Some(name.to_owned());
        self
    }

    fn after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    pub(crate) fn unauthorized() -> Self {
        let detail = "the header Authorization has no bearer token that is good here";
        let hint = "send Authorization: Bearer <token>; a token may have run out or been revoked";
        let code = Code::new("admin-unauthorized");
        Self::new(StatusCode::UNAUTHORIZED, code, "Who are you?", detail, hint)
    }

    pub(crate) fn forbidden(least: Role, has: Role) -> Self {
        let detail = format!("this needs the role {least}, and your token has {has}");
        let hint = format!("ask somebody who has a token with the role {least}");
        let code = Code::new("admin-forbidden");
        Self::new(StatusCode::FORBIDDEN, code, "Not for you", detail, hint)
    }

    /// The issuer knows somebody, and they have no role here.
    pub(crate) fn no_role() -> Self {
        let detail = "your token is good, and nothing in it gives you a role here";
        let hint =
            "ask whoever runs dipmo which group or scope gives a role, and its issuer for that";
        let code = Code::new("admin-role-missing");
        Self::new(StatusCode::FORBIDDEN, code, "Not for you", detail, hint)
    }

    /// Whether a token is good can only be told with keys that the issuer has not said. Whose they are is told to nobody
    /// who is not known.
    pub(crate) fn issuer_unreachable() -> Self {
        let detail =
            "who you are cannot be told now: the issuer of your token has not said its keys";
        let hint = "come back, or come with a token that `dipmo token make` made";
        let code = Code::new("admin-issuer-unreachable");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, "Come back later", detail, hint)
            .after(LATER)
    }

    pub(crate) fn throttled(seconds: u64) -> Self {
        let detail = "too many tokens that are not good came from your address";
        let hint = "wait, and look which program sends the wrong token";
        let code = Code::new("admin-throttled");
        Self::new(StatusCode::TOO_MANY_REQUESTS, code, "Come back later", detail, hint)
            .after(seconds)
    }

    pub(crate) fn unknown_path() -> Self {
        let code = Code::new("admin-path-unknown");
        let detail = "there is nothing under this path";
        let hint = "GET /api/v1/openapi.json tells all paths";
        Self::new(StatusCode::NOT_FOUND, code, "Not found", detail, hint)
    }

    pub(crate) fn wrong_method() -> Self {
        let code = Code::new("admin-method-unknown");
        let detail = "this path does not know this method";
        let hint = "the header Allow tells which it knows";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, code, "Wrong method", detail, hint)
    }

    /// There is no `what` of this name.
    pub(crate) fn not_found(what: &str, name: &str) -> Self {
        let code = Code::new("admin-not-found");
        let detail = format!("there is no {what} {name}");
        let hint = "look at the list; what was settled long ago may be history by now";
        Self::new(StatusCode::NOT_FOUND, code, "Not found", detail, hint)
    }

    /// There is no `what` of this name, and these are those that there are.
    pub(crate) fn unknown_name(what: &str, name: &str, known: &BTreeSet<String>) -> Self {
        let names: Vec<&str> = known.iter().map(String::as_str).take(MOST_NAMES).collect();
        let more = if known.len() > MOST_NAMES { " and more" } else { "" };
        let code = Code::new("admin-name-unknown");
        let detail = format!("there is no {what} {name}");
        let hint = if names.is_empty() {
            format!("there is no {what} at all here")
        } else {
            format!("there are {}{more}", names.join(", "))
        };
        Self::new(StatusCode::NOT_FOUND, code, "Not found", detail, hint)
    }

    /// A parameter, or a field of a filter, that cannot be; `allowed` says what can.
    pub(crate) fn parameter(name: &str, problem: &str, allowed: impl Into<String>) -> Self {
        let code = Code::new("admin-parameter-invalid");
        let detail = format!("the parameter {name} {problem}");
        Self::new(StatusCode::BAD_REQUEST, code, "Wrong parameter", detail, allowed)
            .of_parameter(name)
    }

    pub(crate) fn body(problem: impl Into<String>) -> Self {
        let code = Code::new("admin-body-invalid");
        let hint = "the body is JSON as GET /api/v1/openapi.json tells it, with Content-Type application/json";
        Self::new(StatusCode::BAD_REQUEST, code, "Wrong body", problem, hint)
    }

    pub(crate) fn body_too_large(limit: usize) -> Self {
        let code = Code::new("admin-body-too-large");
        let detail = format!("the body is larger than {limit} bytes");
        let hint = "name fewer ids at once, or a filter that finds them; a payload larger than that cannot be edited";
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, code, "Body too large", detail, hint)
    }

    /// What leaves an entry in the audit needs a reason.
    pub(crate) fn reason(problem: &str) -> Self {
        let code = Code::new("admin-reason-missing");
        let detail = format!("the reason {problem}");
        let hint = "say why in your own words, in 1 to 2,000 characters: the audit keeps it";
        Self::new(StatusCode::BAD_REQUEST, code, "Why?", detail, hint).of_parameter("reason")
    }

    pub(crate) fn token_exists(name: &str) -> Self {
        let code = Code::new("admin-token-exists");
        let detail = format!("there is a token with the name {name} that is not revoked");
        let hint = "take another name, or revoke that one first";
        Self::new(StatusCode::CONFLICT, code, "Name taken", detail, hint).of_parameter("name")
    }

    pub(crate) fn operation_too_large(most: u32) -> Self {
        let code = Code::new("admin-operation-too-large");
        let detail = format!("more than {most} would be meant: nothing was begun");
        let hint =
            "narrow the filter, for example by since and until, and begin several operations";
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, "Too many", detail, hint)
    }

    /// What is to be replayed came before ids began to be forgotten.
    pub(crate) fn past_horizon(horizon: Timestamp) -> Self {
        let code = Code::new("admin-past-horizon");
        let detail = format!(
            "some of these messages came before {horizon}, and ids from before that are forgotten"
        );
        let hint = format!("say since={horizon}, or something later");
        Self::new(StatusCode::CONFLICT, code, "Too old", detail, hint)
    }

    /// What has ended is looked through page by page, and only so far.
    pub(crate) fn filter_too_wide() -> Self {
        let code = Code::new("admin-filter-too-wide");
        let detail =
            "what has ended and may be meant is too much to be looked through: nothing was begun";
        let hint = "narrow the filter by since and until, and begin several operations";
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, "Too wide", detail, hint)
    }

    pub(crate) fn instance_changed(key: &ProcessKey) -> Self {
        let code = Code::new("admin-instance-changed");
        let detail = format!("{key} does not have the version that was said: nothing was changed");
        let hint = "look at it again, and decide by what it is now";
        Self::new(StatusCode::CONFLICT, code, "It went on", detail, hint).of_parameter("version")
    }

    /// Something of an aggregate has not ended, which `waiting` tells.
    pub(crate) fn aggregate_waits(aggregate: &str, waiting: &str) -> Self {
        let code = Code::new("admin-aggregate-waits");
        let detail = format!("{aggregate} has not ended, and nothing was changed: {waiting}");
        let hint = "wait until it has ended, or skip what failed and complete the instances; then ask again";
        Self::new(StatusCode::CONFLICT, code, "Not yet", detail, hint)
    }

    pub(crate) fn too_slow() -> Self {
        let code = Code::new("admin-too-slow");
        let detail =
            "it took too long, and nobody waited for it; what was to be changed may have been";
        let hint = "look at the audit before you repeat a change; ask for less with a filter";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, "Too slow", detail, hint).after(LATER)
    }

    /// So many ask already that one more would be in the way. Who is not known yet may be told so.
    pub(crate) fn busy() -> Self {
        let problem = "as many requests of operators as may are under way".to_owned();
        let error = StoreError::Busy { statement: "a request", problem: problem.clone() };
        Self::of_store(&error, problem)
    }

    pub(crate) fn watchers_full(most: usize) -> Self {
        let code = Code::new("admin-watchers-full");
        let detail = format!("{most} watch already");
        let hint = "ask GET /api/v1/backlog from time to time instead";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, "Come back later", detail, hint)
            .after(LATER)
    }

    pub(crate) fn no_randomness() -> Self {
        let code = Code::new("admin-no-randomness");
        let detail = "the system gives no random bytes: no token was made";
        let hint = "try again; if it stays so, something is wrong with the machine";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, code, "It did not work", detail, hint)
    }

    /// As from the database, for somebody who is not known yet.
    pub(crate) fn cannot_tell(error: &StoreError) -> Self {
        tracing::warn!(code = %error.code(), %error, "a token cannot be looked up");
        Self::of_store(
            error,
            "who you are cannot be told now: the database does not say".to_owned(),
        )
    }

    fn of_store(error: &StoreError, detail: String) -> Self {
        let code = error.code();
        let hint = format!("see docs/errors/{code}.md");
        if error.is_transient() {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return Self::new(status, code, "Come back later", detail, hint).after(LATER);
        }
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, code, "It did not work", detail, hint)
    }
}

/// The words of a store have no secret and no payload in them.
impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::warn!(code = %error.code(), %error, "a request of an operator was not done");
        Self::of_store(&error, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.document()));
        let status = StatusCode::from_u16(self.0.status);
        let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.0.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if [StatusCode::UNAUTHORIZED, StatusCode::TOO_MANY_REQUESTS].contains(&status) {
            // Who is not known keeps no connection, and no place among those that there are.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"dipmo\""));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_work_later_says_when() {
        let busy = StoreError::Busy { statement: "x", problem: "deadlock".to_owned() };
        let response = Problem::from(busy).into_response();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(response.headers().contains_key(RETRY_AFTER));
        let broken = StoreError::SchemaMissing { problem: "no table".to_owned() };
        let response = Problem::from(broken).into_response();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!response.headers().contains_key(RETRY_AFTER));
    }

    #[test]
    fn a_stranger_is_told_nothing_of_the_database() {
        let error = StoreError::Unreachable {
            place: "db.intern:5432".to_owned(),
            problem: "refused".to_owned(),
        };
        assert!(!Problem::cannot_tell(&error).document().contains("db.intern"));
        assert!(Problem::from(error).document().contains("db.intern"));
    }
}
