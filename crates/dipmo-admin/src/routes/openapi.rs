//! `GET /openapi.json`: what this API is.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use hyper::header::{CONTENT_TYPE, HeaderValue};

use super::lists::Nothing;
use crate::app::Shared;
use crate::params::Asked;

/// The OpenAPI document of this API; `x-dipmo-role` is the least role of a route.
#[utoipa::path(get, path = "/openapi.json", tag = "access", responses((status = 200, body = Object)))]
pub(crate) async fn openapi(State(shared): State<Arc<Shared>>, _: Asked<Nothing>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, kind)], shared.document.clone()).into_response()
}
