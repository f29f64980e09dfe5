//! What is sent back.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::refusal::Refusal;

/// Says that the answer is the one that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A request that was taken. The same for the first time and for every other.
#[derive(Serialize)]
struct Accepted<'a> {
    status: &'static str,
    key: &'a str,
    href: &'a str,
}

/// It is durable; `replayed` when it was before.
pub(crate) fn accepted(key: &str, link: &str, replayed: bool) -> Response<Full<Bytes>> {
    let accepted = Accepted { status: "accepted", key, href: link };
    let mut response = json(StatusCode::ACCEPTED, "application/json", &accepted);
    let headers = response.headers_mut();
    if let Ok(link) = HeaderValue::from_str(link) {
        headers.insert(LOCATION, link);
    }
    if replayed {
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// Something that is known.
pub(crate) fn found(body: &impl Serialize) -> Response<Full<Bytes>> {
    json(StatusCode::OK, "application/json", body)
}

/// It was not taken.
pub(crate) fn refused(refusal: &Refusal) -> Response<Full<Bytes>> {
    let mut response = of(refusal.status, "application/problem+json", refusal.document());
    let headers = response.headers_mut();
    if let Some(allow) = refusal.allow {
        headers.insert(ALLOW, HeaderValue::from_static(allow));
    }
    if let Some(seconds) = refusal.retry_after {
        // All who were told at one moment would come back at one moment.
        let seconds = seconds + fastrand::u32(0..=seconds);
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    match refusal.status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"dipmo\""));
        }
        // What is left of the body is not waited for.
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT => {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        _ => {}
    }
    response
}

fn json(status: StatusCode, kind: &'static str, body: &impl Serialize) -> Response<Full<Bytes>> {
    of(status, kind, serde_json::to_vec(body).unwrap_or_default())
}

fn of(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
