//! Columns and rows as our types.

use std::str::FromStr;

use dipmo_domain::{Failure, InboxId, Json, Lane, OutboxId, ProcessKey, Timestamp};
use dipmo_inbox::Message;
use rusqlite::Row;
use rusqlite::types::FromSql;

use crate::error::unreadable;

/// How many columns [`message`] reads: those of `inbox_take`, at the beginning of a row.
pub(crate) const MESSAGE_COLUMNS: usize = 18;

/// A message, from the first columns of a row.
pub(crate) fn message(row: &Row<'_>) -> rusqlite::Result<Message> {
    let originals: Option<String> = row.get(16)?;
    Ok(Message {
        id: InboxId(row.get(0)?),
        message_id: row.get(1)?,
        source_system: row.get(2)?,
        topic: row.get(3)?,
        partition: row.get(4)?,
        offset: row.get(5)?,
        key_str: row.get(6)?,
        aggregate_id: row.get(7)?,
        event_type: row.get(8)?,
        event_version: row.get(9)?,
        source_version: row.get(10)?,
        payload: maybe_json(row, 11)?,
        headers_json: maybe_json(row, 12)?,
        raw_payload_base64: row.get(13)?,
        event_ts: maybe_time(row, 14)?,
        received_at: time(row, 15)?,
        originals: match originals {
            Some(text) => serde_json::from_str(&text).map_err(|error| unreadable(16, error))?,
            None => dipmo_inbox::Originals::default(),
        },
        lane: lane(row, 17)?,
    })
}

/// A time that is there.
pub(crate) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    maybe_time(row, column)?.ok_or_else(|| unreadable(column, "a time is missing"))
}

/// A time that may be NULL.
pub(crate) fn maybe_time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let Some(micros) = row.get::<_, Option<i64>>(column)? else { return Ok(None) };
    let outside = || unreadable(column, format!("{micros} is outside the years 1 to 9999"));
    Timestamp::from_micros(micros).ok_or_else(outside).map(Some)
}

/// A JSON text that may be NULL.
pub(crate) fn maybe_json(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Json>> {
    Ok(row.get::<_, Option<String>>(column)?.map(Json::from_store))
}

/// A lane.
pub(crate) fn lane(row: &Row<'_>, column: usize) -> rusqlite::Result<Lane> {
    let index = row.get(column)?;
    Lane::from_index(index).ok_or_else(|| unreadable(column, format!("there is no lane {index}")))
}

/// A status, an outcome, a destination.
pub(crate) fn parsed<T: FromStr>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    row.get_ref(column)?.as_str()?.parse().map_err(|error: T::Err| unreadable(column, error))
}

/// The same, where it may be NULL.
pub(crate) fn maybe_parsed<T: FromStr>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T::Err: std::error::Error + Send + Sync + 'static,
{
    match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => Ok(None),
        _ => parsed(row, column).map(Some),
    }
}

/// `ERROR_CODE` and, in the next column, `ERROR_MESSAGE`.
pub(crate) fn failure(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Failure>> {
    let (code, message) = pair::<String, String>(row, column)?;
    Ok(code.map(|code| Failure::new(&code, &message.unwrap_or_default())))
}

/// `REPLY_PROCESS` and, in the next column, `REPLY_ID`.
pub(crate) fn reply_to(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<ProcessKey>> {
    let (process, id) = pair(row, column)?;
    Ok(process.zip(id).map(|(process, id)| ProcessKey { process, id }))
}

/// The id of a unit or intent that may be NULL.
pub(crate) fn maybe_outbox_id(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<OutboxId>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(OutboxId))
}

fn pair<A: FromSql, B: FromSql>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<(Option<A>, Option<B>)> {
    Ok((row.get(column)?, row.get(column + 1)?))
}
