//! Records and what comes of them.

use dipmo_domain::{Failure, Headers, InboxId, Timestamp};
use dipmo_inbound::{Extraction, Inbound};
use dipmo_inbox::{Body, Message, NewMessage, Record};

pub(crate) fn record(value: &str) -> Record {
    Record {
        topic: "orders-eu".into(),
        partition: 2,
        offset: 7,
        key: Some(b"F-8842".to_vec()),
        timestamp_millis: 1_700_000_000_000,
        value: Some(value.as_bytes().to_vec()),
        ..Record::default()
    }
}

pub(crate) fn with_headers(record: Record, headers: &[(&str, &str)]) -> Record {
    let add = |all: Headers, (name, value): &(&str, &str)| all.with(name, value);
    Record { headers: headers.iter().fold(Headers::default(), add), ..record }
}

pub(crate) fn rule(text: &str) -> Extraction {
    text.parse().unwrap()
}

/// Without rules.
pub(crate) fn bare() -> Inbound {
    Inbound::new("ihub")
}

/// The message of a record, which gives back every byte.
pub(crate) fn decode(inbound: &Inbound, record: Record) -> NewMessage {
    let sent = record.clone();
    let message = inbound.decode(record).message;
    assert_eq!(row(&message).record().unwrap(), sent);
    message
}

pub(crate) fn row(message: &NewMessage) -> Message {
    Message::of(InboxId(1), message, Timestamp::EPOCH).unwrap()
}

pub(crate) fn payload(message: &NewMessage) -> &str {
    match &message.body {
        Body::Json(payload) => payload.as_str(),
        Body::Undecodable { failure, .. } => panic!("undecodable: {}", failure.message()),
    }
}

pub(crate) fn failure(message: &NewMessage) -> &Failure {
    match &message.body {
        Body::Json(payload) => panic!("decoded: {payload:?}"),
        Body::Undecodable { failure, .. } => failure,
    }
}
