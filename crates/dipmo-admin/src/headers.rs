//! What every answer has in common: it comes in time, and nobody keeps it, guesses at it or frames it.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use tokio::time::timeout;

use crate::problem::Problem;

const HEADERS: [(HeaderName, &str); 5] = [
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
];

/// Adds the headers.
pub(crate) async fn plainly(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Gives up on an answer that does not begin in time. Events begin at once, and may go on.
pub(crate) async fn in_time(
    State(within): State<Duration>,
    request: Request,
    next: Next,
) -> Response {
    let answer = timeout(within, next.run(request)).await;
    answer.unwrap_or_else(|_| Problem::too_slow().into_response())
}
