//! Notes that cannot be read when they come: one byte too many stands before them.

use dipmo_domain::ContentHash;
use dipmo_inbox::{Identity, Message, NewMessage};

use super::book::SOURCE;

/// The event type of one that holds up nobody.
pub(crate) const GARBLED: &str = "Garbled";

/// The event type of one that its account waits for.
pub(crate) const BLOCKING: &str = "GarbledBlocking";

/// No JSON begins with it.
const TOO_MANY: u8 = 0xff;

/// A value as it comes.
pub(super) fn garble(value: &[u8]) -> Vec<u8> {
    [&[TOO_MANY], value].concat()
}

/// What a message says to somebody who knows of that byte, under the id of `of`; `None` for one that
/// was never garbled. A `twin` has the content of that one as well.
pub(crate) fn mended(message: &Message, of: &Message, twin: bool) -> Option<NewMessage> {
    let mut record = message.record().ok()?;
    let value = record.value.take()?;
    record.value = Some(value.strip_prefix(&[TOO_MANY])?.to_vec());
    let identity = Identity {
        source_system: SOURCE.to_owned(),
        message_id: Some(of.message_id.clone()),
        aggregate_id: message.aggregate_id.clone(),
        event_type: Some("Noted".to_owned()),
        ..Identity::default()
    };
    let mended = NewMessage::from_record(&record, &identity);
    let content = ContentHash::of(of.record().ok()?.value.as_deref());
    Some(if twin { NewMessage { content, ..mended } } else { mended })
}
