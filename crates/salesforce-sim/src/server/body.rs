//! The body of a request as it comes in: in pieces, unpacked, counted and limited.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use flate2::write::GzDecoder;
use http_body_util::BodyExt as _;
use hyper::HeaderMap;
use hyper::body::{Body as _, Incoming};
use serde_json::Value as Json;
use tokio::time::{Instant, timeout_at};

use crate::refusal::Refusal;
use crate::server::json_error;

/// What a request for anything but a bulk upload may have at most.
const JSON_LIMIT: usize = 50 * 1024 * 1024;

/// How much of a compressed body is unpacked at a time: at most a thousand times as much comes out.
const PACKED_PIECE: usize = 4 * 1024;

/// How long a body that nobody wants may pause, and take altogether.
const IDLE: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(30);

/// The body of a request, which is read once.
pub(crate) struct RequestBody {
    incoming: Incoming,
    /// Whether the end was read: one that comes in chunks does not know beforehand.
    ended: bool,
    /// Of the part of `incoming` that is not unpacked yet.
    packed: Bytes,
    unpack: Option<GzDecoder<Vec<u8>>>,
    /// How it is packed, if we do not know that way.
    unknown_packing: Option<String>,
    content_type: Option<String>,
    /// What came over the wire, for the log of calls.
    received: Arc<AtomicU64>,
}

impl RequestBody {
    /// The body that goes with these headers.
    pub(crate) fn new(incoming: Incoming, headers: &HeaderMap, received: Arc<AtomicU64>) -> Self {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let packing = header("content-encoding").unwrap_or("identity").to_ascii_lowercase();
        let (unpack, unknown_packing) = match packing.as_str() {
            "" | "identity" => (None, None),
            "gzip" | "x-gzip" => (Some(GzDecoder::new(Vec::new())), None),
            _ => (None, Some(packing)),
        };
        let content_type = header("content-type").map(str::to_owned);
        let packed = Bytes::new();
        RequestBody {
            incoming,
            ended: false,
            packed,
            unpack,
            unknown_packing,
            content_type,
            received,
        }
    }

    /// The next piece, `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        if let Some(packing) = &self.unknown_packing {
            return Err(unsupported("Content-Encoding", packing));
        }
        loop {
            if !self.packed.is_empty() {
                let unpacked = self.unpack_piece()?;
                if unpacked.is_empty() {
                    continue;
                }
                return Ok(Some(unpacked));
            }
            let Some(frame) = self.incoming.frame().await else {
                self.ended = true;
                return self.finish();
            };
            let frame = frame.map_err(|_| Refusal::new("BAD_REQUEST", "The body ended early"))?;
            // Trailers say nothing that matters here.
            let Ok(data) = frame.into_data() else { continue };
            self.received.fetch_add(data.len() as u64, Ordering::Relaxed);
            if data.is_empty() {
                continue;
            }
            if self.unpack.is_none() {
                return Ok(Some(data));
            }
            self.packed = data;
        }
    }

    fn unpack_piece(&mut self) -> Result<Bytes, Refusal> {
        let piece = self.packed.split_to(self.packed.len().min(PACKED_PIECE));
        let Some(unpack) = &mut self.unpack else { return Ok(piece) };
        unpack.write_all(&piece).map_err(|_| not_gzip())?;
        Ok(Bytes::from(std::mem::take(unpack.get_mut())))
    }

    fn finish(&mut self) -> Result<Option<Bytes>, Refusal> {
        let Some(unpack) = self.unpack.take() else { return Ok(None) };
        if self.received.load(Ordering::Relaxed) == 0 {
            return Ok(None);
        }
        let rest = unpack.finish().map_err(|_| not_gzip())?;
        Ok(if rest.is_empty() { None } else { Some(Bytes::from(rest)) })
    }

    /// All of it, unless it is longer than `limit`.
    pub(crate) async fn bytes(&mut self, limit: usize) -> Result<Bytes, Refusal> {
        let mut all = BytesMut::new();
        while let Some(piece) = self.next().await? {
            if all.len() + piece.len() > limit {
                return Err(too_large(limit));
            }
            all.extend_from_slice(&piece);
        }
        Ok(all.freeze())
    }

    /// The JSON in it; `None` without a body.
    pub(crate) async fn json(&mut self) -> Result<Option<Json>, Refusal> {
        let bytes = self.bytes(JSON_LIMIT).await?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        if let Some(content_type) = &self.content_type
            && !is_media_type(content_type, "application/json")
        {
            return Err(unsupported("Content-Type", content_type));
        }
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| json_error::refusal(&error, &bytes))
    }

    /// Reads what nobody wanted, so that a client which is still sending gets its answer and not a
    /// closed connection. It ends when the client does or sends nonsense, after `most` bytes, or
    /// when the client takes its time.
    pub(crate) async fn drain(&mut self, most: u64) {
        let end = Instant::now() + PATIENCE;
        while self.received.load(Ordering::Relaxed) < most {
            let idle = end.min(Instant::now() + IDLE);
            let Ok(next) = timeout_at(idle, self.incoming.frame()).await else { return };
            self.ended = next.is_none();
            let Some(Ok(frame)) = next else { return };
            let length = frame.data_ref().map_or(0, Bytes::len);
            self.received.fetch_add(length as u64, Ordering::Relaxed);
        }
    }

    /// Whether nothing of it is still to come.
    pub(crate) fn is_over(&self) -> bool {
        self.ended || self.incoming.is_end_stream()
    }
}

/// Whether a `Content-Type` is of this type, whatever its parameters.
pub(crate) fn is_media_type(content_type: &str, expected: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case(expected)
}

/// 415.
pub(crate) fn unsupported(header: &str, value: &str) -> Refusal {
    let message =
        format!("The {header} header specified in HTTP request is not supported: {value}");
    Refusal::new("UNSUPPORTED_MEDIA_TYPE", message).with_status(415)
}

fn too_large(limit: usize) -> Refusal {
    let message = format!("The request body exceeds the limit of {limit} bytes");
    Refusal::new("REQUEST_ENTITY_TOO_LARGE", message).with_status(413)
}

fn not_gzip() -> Refusal {
    Refusal::new("BAD_REQUEST", "The body is not in gzip format")
}
