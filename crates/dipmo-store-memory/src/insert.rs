//! Putting a message into the inbox once, from whichever side it comes.

use std::sync::Arc;

use dipmo_domain::{
    ErrorStage, Headers, InboxId, InboxStatus, Json, JsonError, StoreError, Timestamp,
};
use dipmo_inbox::{Body, Message, NewMessage, Stored};
use dipmo_store::Incident;

use crate::exceptions::Exception;
use crate::inbox::{IdRow, InboxTables};
use crate::side::{InboxColumns, InboxSide};

/// Stores a message unless its dedupe id is known.
pub(crate) fn insert(
    inbox: &mut InboxTables,
    new: &NewMessage,
    now: Timestamp,
) -> Result<Stored, StoreError> {
    match inbox.ids.get(&new.dedupe_key) {
        Some(known) if known.content == new.content => Ok(Stored::Duplicate(known.message)),
        Some(known) => {
            let first = known.message;
            inbox.incidents.push_back_mut(incident(new, first, now));
            Ok(Stored::Conflict(first))
        }
        None => insert_new(inbox, new, now).map(Stored::New),
    }
}

/// The `HEADERS` column: NULL when there are none.
pub(crate) fn headers_column(headers: &Headers) -> Result<Option<Json>, StoreError> {
    headers.to_column().map_err(|error| refused(&error))
}

fn refused(error: &JsonError) -> StoreError {
    StoreError::RowRefused { statement: "headers", problem: format!("HEADERS is no JSON: {error}") }
}

/// A message that could not be decoded, as it is decoded now. Its bytes stay beside it.
pub(crate) fn decoded_again(old: &Message, new: &NewMessage) -> Message {
    let (payload, _) = new.body.columns();
    Message {
        message_id: new.message_id.clone(),
        source_system: new.source_system.clone(),
        aggregate_id: new.aggregate_id.clone(),
        event_type: new.event_type.clone(),
        event_version: new.event_version,
        source_version: new.source_version,
        payload,
        event_ts: new.event_ts,
        originals: new.originals.clone(),
        lane: new.lane,
        ..old.clone()
    }
}

fn insert_new(
    inbox: &mut InboxTables,
    new: &NewMessage,
    now: Timestamp,
) -> Result<InboxId, StoreError> {
    inbox.last_id += 1;
    let id = InboxId(inbox.last_id);
    let message = Message::of(id, new, now).map_err(|error| refused(&error))?;
    inbox.log.insert_mut(id, Arc::new(message));
    let known = IdRow { message: id, content: new.content, received_at: now };
    inbox.ids.insert_mut(new.dedupe_key, known);
    match &new.body {
        Body::Json(_) => inbox.ready.add(&new.lane, id),
        Body::Undecodable { failure, .. } => {
            let mut row = untried(new);
            row.columns.status = InboxStatus::SerdeError;
            row.columns.stage = Some(ErrorStage::ConsumerSerde);
            row.failure = Some(failure.clone());
            if let Some(key) = new.blocked_key() {
                row.hold();
                inbox.blocks.bar(key, id);
            }
            inbox.exceptions.put(id, row);
        }
    }
    Ok(id)
}

fn untried(new: &NewMessage) -> Exception<InboxSide> {
    Exception::untried(new.lane, new.order_key.clone(), InboxColumns::RECEIVED)
}

pub(crate) fn incident(new: &NewMessage, first: InboxId, now: Timestamp) -> Incident {
    let (payload, raw_payload_base64) = new.body.columns();
    Incident {
        first,
        source_system: new.source_system.clone(),
        message_id: new.message_id.clone(),
        topic: new.topic.clone(),
        partition: new.partition,
        offset: new.offset,
        raw_payload_base64,
        payload: payload.map(|json| json.as_str().to_owned()),
        received_at: now,
    }
}
