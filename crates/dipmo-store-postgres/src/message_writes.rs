//! What is written for messages that are new, and for those that only look like a duplicate.

use dipmo_domain::{ErrorStage, InboxStatus, Json};
use dipmo_inbox::{Body, NewMessage, Stored};

use crate::blocks::Heads;
use crate::copy_rows::CopyRows;
use crate::exception::{ExceptionRow, Exceptions};
use crate::failure_groups::Groups;
use crate::sql::{self, Call, Which, params};
use crate::types::{PgJson, PgTime};

/// The rows of the log for a COPY, without their ids.
pub(crate) fn rows<'a>(messages: impl ExactSizeIterator<Item = &'a NewMessage>) -> CopyRows {
    let mut rows = CopyRows::new(17, messages.len());
    for m in messages {
        let (payload, raw) = match &m.body {
            Body::Json(json) => (Some(json), None),
            Body::Undecodable { base64, .. } => (None, Some(base64.as_str())),
        };
        rows.row(0);
        rows.text(&m.message_id);
        rows.text(&m.source_system);
        rows.text(&m.topic);
        rows.i32(Some(m.partition));
        rows.i64(Some(m.offset));
        rows.opt_text(m.key_str.as_deref());
        rows.opt_text(m.aggregate_id.as_deref());
        rows.opt_text(m.event_type.as_deref());
        rows.i32(m.event_version.map(i32::from));
        rows.i64(m.source_version);
        rows.json(payload);
        rows.json(headers(m).as_ref());
        rows.opt_text(raw);
        rows.time(m.event_ts);
        rows.json(originals(m).as_ref());
        rows.i16(i16::from(m.lane.index()));
    }
    rows
}

/// The statement that writes the rows of the log.
pub(crate) fn insert(new: &[(i64, &NewMessage)]) -> Call {
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
        column!(|m: &NewMessage| headers(m).map(PgJson)),
        column!(|m: &NewMessage| raw(m)),
        column!(|m: &NewMessage| m.event_ts.map(PgTime)),
        column!(|m: &NewMessage| originals(m).map(PgJson)),
        column!(|m: &NewMessage| i16::from(m.lane.index())),
    ])
}

pub(crate) fn payload(message: &NewMessage) -> Option<PgJson> {
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

fn headers(message: &NewMessage) -> Option<Json> {
    (!message.headers.is_empty()).then(|| message.headers.to_json().ok()).flatten()
}

pub(crate) fn originals(message: &NewMessage) -> Option<Json> {
    (!message.originals.is_empty()).then(|| Json::of(&message.originals).ok()).flatten()
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
    let mut rows = Exceptions::of(Which::Inbox);
    for (id, message) in new {
        if let Body::Undecodable { failure, .. } = &message.body {
            rows.push(ExceptionRow {
                order_key: message.order_key.clone(),
                held: message.blocked_key().is_some(),
                error_stage: Some(ErrorStage::ConsumerSerde),
                failure: Some(failure.clone()),
                ..ExceptionRow::new(*id, None, message.lane, InboxStatus::SerdeError.as_str())
            });
        }
    }
    rows.call().0
}

/// The groups of those that are new and cannot be decoded, written last in their transaction.
pub(crate) fn groups(messages: &[NewMessage], stored: &[Stored]) -> Groups {
    let mut groups = Groups::default();
    for (message, stored) in messages.iter().zip(stored) {
        if let (Body::Undecodable { failure, .. }, Stored::New(id)) = (&message.body, stored) {
            groups.add(Which::Inbox, Some(ErrorStage::ConsumerSerde), failure, id.0);
        }
    }
    groups
}

/// The blocks of order keys that wait for those that cannot be decoded.
pub(crate) fn bars(new: &[(i64, &NewMessage)]) -> Option<Call> {
    let mut heads = Heads::default();
    for (id, message) in new {
        if let Some(key) = message.blocked_key() {
            heads.push("", key, *id, message.lane);
        }
    }
    heads.bar()
}

/// What is kept of messages that came with the id of another one, each with the id of that.
pub(crate) fn incidents(conflicts: &[(i64, &NewMessage)]) -> Option<Call> {
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
        conflicts.iter().map(|(_, m)| m.aggregate_id.clone()).collect::<Vec<_>>(),
    ]))
}
