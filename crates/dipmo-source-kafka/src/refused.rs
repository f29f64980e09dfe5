//! A record that was decoded, but whose row the database refuses: it is kept as bytes instead.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{Code, Failure, StoreError};
use dipmo_inbox::{Body, NewMessage};

pub(crate) const CODE: Code = Code::new("record-refused-by-store");

/// Keeps the value as it came from the wire, and says what the database said. False when it was
/// kept so before: then it is not what it was decoded to that is wrong.
pub(crate) fn capture(message: &mut NewMessage, error: &StoreError) -> bool {
    let words = format!("the database refused what it was decoded to: {error}");
    keep_bytes(message, Failure::coded(CODE, &words))
}

/// Makes a SERDE_ERROR of a message that was decoded. False when it is one already.
pub(crate) fn keep_bytes(message: &mut NewMessage, failure: Failure) -> bool {
    let Ok(record) = message.record() else { return false };
    if matches!(message.body, Body::Undecodable { .. }) {
        return false;
    }
    message.originals.tombstone = record.value.is_none();
    let base64 = STANDARD.encode(record.value.unwrap_or_default());
    message.body = Body::Undecodable { base64, failure };
    true
}
