//! A record that was decoded, but whose row the database refuses: it is kept as bytes instead.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{Code, Failure, StoreError};
use dipmo_inbox::{Body, NewMessage};

const CODE: Code = Code::new("record-refused-by-store");

/// Keeps the value as it came from the wire, and says what the database said.
pub(crate) fn capture(message: &mut NewMessage, value: Option<&[u8]>, error: &StoreError) {
    let words = format!("the database refused what it was decoded to: {error}");
    keep_bytes(message, value, Failure::coded(CODE, &words));
}

/// Makes a SERDE_ERROR of a message that was decoded.
pub(crate) fn keep_bytes(message: &mut NewMessage, value: Option<&[u8]>, failure: Failure) {
    let base64 = STANDARD.encode(value.unwrap_or_default());
    message.body = Body::Undecodable { base64, failure };
}

/// True when it was captured before.
pub(crate) fn is_captured(message: &NewMessage) -> bool {
    matches!(&message.body, Body::Undecodable { failure, .. } if failure.code() == CODE.as_str())
}
