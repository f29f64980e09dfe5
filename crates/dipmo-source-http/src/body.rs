//! The bytes of a body: no more than allowed, and no longer than allowed.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::HeaderMap;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE};
use tokio::time::timeout;

use crate::refusal::Refusal;

/// How many bytes a body will have at most, as far as its head tells.
pub(crate) fn expected(body: &Incoming, limit: usize) -> Result<usize, Refusal> {
    match body.size_hint().exact() {
        None => Ok(limit),
        Some(length) => {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if length > limit { Err(Refusal::too_large(limit)) } else { Ok(length) }
        }
    }
}

/// Reads a body.
pub(crate) async fn read(body: Incoming, limit: usize, within: Duration) -> Result<Bytes, Refusal> {
    match timeout(within, Limited::new(body, limit).collect()).await {
        Err(_) => Err(Refusal::too_slow()),
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::too_large(limit)),
        Ok(Err(_)) => Err(Refusal::cut_off()),
    }
}

/// # Errors
/// When the head does not say that the body is JSON as it is.
pub(crate) fn check_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let json = text(CONTENT_TYPE).is_some_and(is_json);
    let plain = text(CONTENT_ENCODING).is_none_or(|it| it.eq_ignore_ascii_case("identity"));
    if json && plain { Ok(()) } else { Err(Refusal::wrong_media_type()) }
}

fn is_json(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(|part| part.trim().to_ascii_lowercase());
    let kind = parts.next().unwrap_or_default();
    let named =
        kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"));
    let charset = |part: String| Some(part.strip_prefix("charset=")?.trim_matches('"').to_owned());
    named && parts.filter_map(charset).all(|charset| charset == "utf-8")
}

#[cfg(test)]
mod tests {
    use super::is_json;

    #[test]
    fn json_is_called_so() {
        for json in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
            "application/cloudevents+json",
        ] {
            assert!(is_json(json), "{json}");
        }
        for other in
            ["text/json", "application/xml", "", "application/json; charset=latin1", "+json"]
        {
            assert!(!is_json(other), "{other}");
        }
    }
}
