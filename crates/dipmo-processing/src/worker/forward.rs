//! Messages that go on to a destination as they are, without a process in between.

use dipmo_domain::{Code, Destination, Failure, Headers, Json, OrderKey};
use dipmo_inbox::Message;
use dipmo_outbox::NewIntent;

/// `AGGREGATE_TYPE` of the intents.
const AGGREGATE_TYPE: &str = "FORWARDED";
/// `EVENT_TYPE` of a message that has none.
const EVENT_TYPE: &str = "Forwarded";

/// The intent of a message: its value as it came, its headers, in the order of its key.
pub(crate) fn intent(
    message: &Message,
    headers: &Headers,
    to: &Destination,
) -> Result<NewIntent, Failure> {
    let unread = |problem: &str| Failure::coded(Code::new("message-unreadable"), problem);
    // The payload may be a part of the value only, as the data of an envelope is.
    let record = message.record().map_err(|error| unread(&error.to_string()))?;
    let payload = match record.value {
        None => Json::null(),
        Some(value) => Json::from_bytes(&value).map_err(|error| unread(&error.to_string()))?,
    };
    let alone = || OrderKey::new(&message.message_id);
    Ok(NewIntent {
        aggregate_type: AGGREGATE_TYPE.to_owned(),
        aggregate_id: message.order_key().unwrap_or_else(alone).as_str().to_owned(),
        event_type: message.event_type.clone().unwrap_or_else(|| EVENT_TYPE.to_owned()),
        event_version: message.event_version.unwrap_or(1),
        payload,
        headers: headers.clone(),
        destination: to.clone(),
        records: Vec::new(),
        reply_to: None,
        cause: Some(message.id),
        caused_at: Some(message.received_at),
    })
}
