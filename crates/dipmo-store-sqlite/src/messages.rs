//! Messages into the inbox: recognised, written, made ready.

use dipmo_domain::{ErrorStage, InboxId, InboxStatus, Json, Lane, StoreError, Timestamp};
use dipmo_inbox::{Body, NewMessage, Stored};
use dipmo_store::Side;
use rusqlite::params;

use crate::error::unexpected;
use crate::exception::ExceptionRow;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// Stores messages; answers for each in its place.
pub(crate) fn store(tx: &Tx<'_>, messages: &[NewMessage]) -> Result<Vec<Stored>, StoreError> {
    if messages.is_empty() {
        return Ok(Vec::new());
    }
    let first = tx.take_numbers("inbox", messages.len())?;
    let mut chunks = [None; Lane::COUNT as usize];
    let answer = |(id, message)| match known(tx, message, id)? {
        Some(answer) => Ok(answer),
        None => write(tx, message, id, &mut chunks).map(|()| Stored::New(InboxId(id))),
    };
    (first..).zip(messages).map(answer).collect()
}

/// Writes the dedupe id; answers whom the message repeats when it is not new. One that stands already
/// may repeat itself.
pub(crate) fn known(
    tx: &Tx<'_>,
    message: &NewMessage,
    id: i64,
) -> Result<Option<Stored>, StoreError> {
    let key = message.dedupe_key.as_bytes();
    let params = (key, message.content.0, id, tx.now().as_micros());
    if tx.run(&sql::inbox_dedupe(), params)? > 0 {
        return Ok(None);
    }
    let duplicates = sql::inbox_duplicates();
    let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, InboxId(row.get(1)?)));
    let Some((content, first)) = tx.one(&duplicates, [key], read)? else {
        return Err(unexpected(duplicates.name, "a dedupe id was there and is gone"));
    };
    if content == message.content.0 || first.0 == id {
        return Ok(Some(Stored::Duplicate(first)));
    }
    incident(tx, message, first)?;
    Ok(Some(Stored::Conflict(first)))
}

/// The `ORIGINALS` column: NULL when every other column holds its field exactly.
pub(crate) fn originals(message: &NewMessage) -> Result<Option<String>, StoreError> {
    let refused = |error: serde_json::Error| StoreError::RowRefused {
        statement: sql::inbox_insert().name,
        problem: error.to_string(),
    };
    (!message.originals.is_empty())
        .then(|| serde_json::to_string(&message.originals))
        .transpose()
        .map_err(refused)
}

fn incident(tx: &Tx<'_>, message: &NewMessage, first: InboxId) -> Result<(), StoreError> {
    let (payload, raw) = columns(&message.body);
    let params = params![
        first.0,
        message.source_system,
        message.message_id,
        message.topic,
        message.partition,
        message.offset,
        payload,
        raw,
        tx.now().as_micros(),
        message.aggregate_id,
    ];
    tx.run(&sql::inbox_incident(), params).map(drop)
}

type Chunks = [Option<i64>; Lane::COUNT as usize];

fn write(
    tx: &Tx<'_>,
    message: &NewMessage,
    id: i64,
    chunks: &mut Chunks,
) -> Result<(), StoreError> {
    log(tx, message, id)?;
    tx.arrived(Side::Inbox);
    match &message.body {
        Body::Json(_) => {
            let lane = message.lane.index();
            let chunk = chunks[usize::from(lane)].get_or_insert(id);
            tx.run(&sql::ready_insert(Which::Inbox), ("", lane, *chunk, id)).map(drop)
        }
        Body::Undecodable { failure, .. } => {
            let at = ("", message.lane);
            let status = InboxStatus::SerdeError.as_str();
            let key = message.order_key.as_ref();
            let blocked = message.blocked_key();
            if let Some(key) = blocked {
                tx.run(&sql::block_bar(), (key.as_str(), message.lane.index(), id))?;
            }
            ExceptionRow {
                held: blocked.is_some(),
                error_stage: Some(ErrorStage::ConsumerSerde),
                failure: Some(failure),
                ..ExceptionRow::new(id, tx.now(), at, key, status)
            }
            .put(tx, Which::Inbox)
        }
    }
}

fn log(tx: &Tx<'_>, message: &NewMessage, id: i64) -> Result<(), StoreError> {
    let insert = sql::inbox_insert();
    let refused = |problem: String| StoreError::RowRefused { statement: insert.name, problem };
    let headers = (!message.headers.is_empty())
        .then(|| message.headers.to_json())
        .transpose()
        .map_err(|error| refused(error.to_string()))?;
    let originals = originals(message)?;
    let (payload, raw) = columns(&message.body);
    let params = params![
        id,
        message.message_id,
        message.source_system,
        message.topic,
        message.partition,
        message.offset,
        message.key_str,
        message.aggregate_id,
        message.event_type,
        message.event_version,
        message.source_version,
        payload,
        headers.as_ref().map(Json::as_str),
        raw,
        message.event_ts.map(Timestamp::as_micros),
        tx.now().as_micros(),
        originals,
        message.lane.index(),
    ];
    tx.run(&insert, params).map(drop)
}

/// `PAYLOAD` and `RAW_PAYLOAD_BASE64`.
fn columns(body: &Body) -> (Option<&str>, Option<&str>) {
    match body {
        Body::Json(json) => (Some(json.as_str()), None),
        Body::Undecodable { base64, .. } => (None, Some(base64)),
    }
}
