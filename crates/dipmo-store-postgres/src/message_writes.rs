//! What is written for messages that are new, and for those that only look like a duplicate.

use dipmo_domain::{ErrorStage, InboxStatus, Json};
use dipmo_inbox::{Body, NewMessage, Stored};

use crate::exception::{ExceptionRow, Exceptions};
use crate::sql::{self, Call, Which, params};
use crate::types::{PgJson, PgTime};

/// The rows of the log.
pub(crate) fn log(new: &[(i64, &NewMessage)]) -> Call {
    macro_rules! column {
        ($of:expr) => {
            new.iter().map(|(_, message)| $of(*message)).collect::<Vec<_>>()
        };
    }
    let text = |text: &Option<String>| text.clone();
    sql::inbox_insert().with(params![
        new.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        column!(|m: &NewMessage| m.message_id.clone()),
        column!(|m: &NewMessage| m.source_system.clone()),
        column!(|m: &NewMessage| m.topic.clone()),
        column!(|m: &NewMessage| m.partition),
        column!(|m: &NewMessage| m.offset),
        column!(|m: &NewMessage| text(&m.key_str)),
        column!(|m: &NewMessage| text(&m.aggregate_id)),
        column!(|m: &NewMessage| text(&m.event_type)),
        column!(|m: &NewMessage| m.event_version.map(i32::from)),
        column!(|m: &NewMessage| m.source_version),
        column!(|m: &NewMessage| payload(m)),
        column!(|m: &NewMessage| headers(m)),
        column!(|m: &NewMessage| raw(m)),
        column!(|m: &NewMessage| m.event_ts.map(PgTime)),
        column!(|m: &NewMessage| originals(m)),
        column!(|m: &NewMessage| i16::from(m.lane.index())),
    ])
}

fn payload(message: &NewMessage) -> Option<PgJson> {
    match &message.body {
        Body::Json(json) => Some(PgJson(json.clone())),
        Body::Undecodable { .. } => None,
    }
}

fn raw(message: &NewMessage) -> Option<String> {
    match &message.body {
        Body::Json(_) => None,
        Body::Undecodable { base64, .. } => Some(base64.clone()),
    }
}

fn headers(message: &NewMessage) -> Option<PgJson> {
    let json = (!message.headers.is_empty()).then(|| message.headers.to_json().ok());
    json.flatten().map(PgJson)
}

fn originals(message: &NewMessage) -> Option<PgJson> {
    let json = (!message.originals.is_empty()).then(|| Json::of(&message.originals).ok());
    json.flatten().map(PgJson)
}

/// The chunks of those that can be processed.
pub(crate) fn ready(new: &[(i64, &NewMessage)]) -> Option<Call> {
    let decodable = new.iter().filter(|(_, m)| matches!(m.body, Body::Json(_)));
    let (ids, lanes): (Vec<i64>, Vec<i16>) =
        decodable.map(|(id, m)| (*id, i16::from(m.lane.index()))).unzip();
    (!ids.is_empty()).then(|| sql::inbox_ready_insert().with(params![ids, lanes]))
}

/// The rows of those that cannot be decoded.
pub(crate) fn undecodable(new: &[(i64, &NewMessage)]) -> Option<Call> {
    let mut rows = Exceptions::default();
    for (id, message) in new {
        if let Body::Undecodable { failure, .. } = &message.body {
            rows.push(ExceptionRow {
                order_key: message.order_key.clone(),
                error_stage: Some(ErrorStage::ConsumerSerde.as_str()),
                failure: Some(failure.clone()),
                ..ExceptionRow::new(*id, None, message.lane, InboxStatus::SerdeError.as_str())
            });
        }
    }
    rows.call(Which::Inbox)
}

/// What is kept of messages that came with the id of another one.
pub(crate) fn incidents(messages: &[NewMessage], answer: &[Stored]) -> Option<Call> {
    let conflicts: Vec<(i64, &NewMessage)> = messages
        .iter()
        .zip(answer)
        .filter_map(|(message, stored)| match stored {
            Stored::Conflict(first) => Some((first.0, message)),
            _ => None,
        })
        .collect();
    if conflicts.is_empty() {
        return None;
    }
    Some(sql::inbox_incident().with(params![
        conflicts.iter().map(|(first, _)| *first).collect::<Vec<_>>(),
        conflicts.iter().map(|(_, m)| m.source_system.clone()).collect::<Vec<_>>(),
        conflicts.iter().map(|(_, m)| m.message_id.clone()).collect::<Vec<_>>(),
        conflicts.iter().map(|(_, m)| m.topic.clone()).collect::<Vec<_>>(),
        conflicts.iter().map(|(_, m)| m.partition).collect::<Vec<_>>(),
        conflicts.iter().map(|(_, m)| m.offset).collect::<Vec<_>>(),
        conflicts.iter().map(|(_, m)| payload(m)).collect::<Vec<_>>(),
        conflicts.iter().map(|(_, m)| raw(m)).collect::<Vec<_>>(),
        conflicts.iter().map(|(_, m)| m.content.0).collect::<Vec<_>>(),
    ]))
}
