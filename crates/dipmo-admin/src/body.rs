//! Bodies: JSON in, JSON out.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{HeaderMap, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// Room for a body: 10,000 ids of an operation, and what is said beside them.
const MOST_BYTES: usize = 256 << 10;

/// The body of a request.
pub(crate) struct Sent<T>(pub(crate) T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::body("the body does not say that it is JSON"));
        }
        let body = to_bytes(request.into_body(), MOST_BYTES).await;
        let body = body.map_err(|_| Problem::body_too_large(MOST_BYTES))?;
        let read = serde_json::from_slice(&body);
        read.map(Self).map_err(|error| Problem::body(format!("the body cannot be read: {error}")))
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// An answer.
pub(crate) struct Answer<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => {
                let mut response = Response::new(Body::from(body));
                let kind = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, kind);
                response
            }
            // Nothing that is answered has a shape without a JSON form.
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}
