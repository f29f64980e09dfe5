//! An answer becomes HTTP.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bytes::Bytes;
use hyper::Response;
use hyper::header::{HeaderName, HeaderValue};

use crate::fault::apply::Spoil;
use crate::server::answer::{Answer, Body, Chunks, JSON};
use crate::server::outgoing::{Outgoing, all_but_last_byte, gzip};

/// Below this, packing makes a body larger.
const WORTH_PACKING: u64 = 1024;

/// How an answer is sent.
pub(crate) struct Manner {
    /// Whether the client takes a packed body.
    pub(crate) gzip: bool,
    /// `Sforce-Limit-Info`.
    pub(crate) usage: Option<String>,
    pub(crate) spoil: Option<Spoil>,
    /// Whether the connection ends with this answer, because the client is still sending.
    pub(crate) closes: bool,
    pub(crate) sent: Arc<AtomicU64>,
}

impl Manner {
    pub(crate) fn plain(sent: Arc<AtomicU64>) -> Self {
        Manner { gzip: false, usage: None, spoil: None, closes: false, sent }
    }
}

/// The answer with its headers.
pub(crate) fn respond(answer: Answer, manner: Manner) -> Response<Outgoing> {
    let (content_type, mut chunks, mut length) = match answer.body {
        Body::Empty => (None, no_chunks(), Some(0)),
        Body::Json(json) => whole(JSON, Bytes::from(json.to_string())),
        Body::Text { content_type, text } => whole(content_type, text),
        Body::Stream { content_type, chunks } => (Some(content_type), chunks, None),
    };
    let packs = manner.gzip && length.is_none_or(|length| length > WORTH_PACKING);
    if packs {
        (chunks, length) = (gzip(chunks), None);
    }
    let spoil = manner.spoil.map(|spoil| within(spoil, length));
    if matches!(spoil, Some(Spoil::DropAfter(_) | Spoil::Truncate(_))) && length.is_none() {
        chunks = all_but_last_byte(chunks);
    }
    let mut response = Response::new(Outgoing::new(chunks, length, spoil, manner.sent));
    *response.status_mut() = answer.status.try_into().unwrap_or_default();
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
    };
    if let Some(content_type) = content_type {
        set("content-type", content_type);
    }
    if packs {
        set("content-encoding", "gzip");
    }
    if let Some(usage) = &manner.usage {
        set("sforce-limit-info", usage);
    }
    if manner.closes {
        set("connection", "close");
    }
    for (name, value) in &answer.headers {
        set(name, value);
    }
    response
}

/// Whether `Accept-Encoding` has gzip and does not rule it out.
pub(crate) fn takes_gzip(accepted: &str) -> bool {
    accepted.split(',').any(|one| {
        let (name, quality) = one.split_once(';').unwrap_or((one, ""));
        let quality = quality.trim().strip_prefix("q=").and_then(|text| text.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && quality != Some(0.0)
    })
}

fn whole(content_type: &'static str, text: Bytes) -> (Option<&'static str>, Chunks, Option<u64>) {
    let length = text.len() as u64;
    (Some(content_type), Box::new(std::iter::once(Ok(text))), Some(length))
}

fn no_chunks() -> Chunks {
    Box::new(std::iter::empty())
}

/// A body that is to be cut is cut, however short it is.
fn within(spoil: Spoil, length: Option<u64>) -> Spoil {
    let most = length.map_or(u64::MAX, |length| length.saturating_sub(1));
    match spoil {
        Spoil::DropAfter(bytes) => Spoil::DropAfter(bytes.min(most)),
        Spoil::Truncate(bytes) => Spoil::Truncate(bytes.min(most)),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_taken_unless_it_is_ruled_out() {
        for (accepted, expected) in [
            ("gzip, deflate", true),
            ("br;q=1.0, GZIP;q=0.8", true),
            ("gzip;q=0", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(accepted), expected, "{accepted}");
        }
    }
}
