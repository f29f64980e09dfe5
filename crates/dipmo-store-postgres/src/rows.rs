//! Rows as they come from the statements that share a list of columns.

use std::str::FromStr;

use dipmo_domain::{Failure, InboxId, Lane, StoreError, Timestamp, UnknownName};
use dipmo_inbox::{Message, Originals};
use tokio_postgres::Row;

use crate::types::{PgJson, PgTime};

/// How many columns [`message`] reads; what stands beside a message comes after them.
pub(crate) const MESSAGE_COLUMNS: usize = 18;

/// A message from the columns of `inbox_take`, `inbox_take_due` and `inbox_rows`.
pub(crate) fn message(row: &Row) -> Result<Message, StoreError> {
    let originals = match row.get::<_, Option<PgJson>>(16) {
        None => Originals::default(),
        Some(json) => json.0.read().map_err(|error| unreadable("ORIGINALS", &error.to_string()))?,
    };
    Ok(Message {
        id: InboxId(row.get(0)),
        message_id: row.get(1),
        source_system: row.get(2),
        topic: row.get(3),
        partition: row.get(4),
        offset: row.get(5),
        key_str: row.get(6),
        aggregate_id: row.get(7),
        event_type: row.get(8),
        event_version: row.get::<_, Option<i32>>(9).and_then(|version| u16::try_from(version).ok()),
        source_version: row.get(10),
        payload: row.get::<_, Option<PgJson>>(11).map(|json| json.0),
        headers_json: row.get::<_, Option<PgJson>>(12).map(|json| json.0),
        raw_payload_base64: row.get(13),
        event_ts: time(row, 14),
        received_at: row.get::<_, PgTime>(15).0,
        originals,
        lane: lane(row.get(17))?,
    })
}

pub(crate) fn lane(number: i16) -> Result<Lane, StoreError> {
    Lane::from_index(i64::from(number))
        .ok_or_else(|| unreadable("LANE", &format!("there is no lane {number}")))
}

pub(crate) fn time(row: &Row, at: usize) -> Option<Timestamp> {
    row.get::<_, Option<PgTime>>(at).map(|time| time.0)
}

/// A number that counts something.
pub(crate) fn count(row: &Row, at: usize) -> u64 {
    u64::try_from(row.get::<_, i64>(at)).unwrap_or(0)
}

/// ERROR_CODE and ERROR_MESSAGE, standing side by side.
pub(crate) fn failure(row: &Row, at: usize) -> Option<Failure> {
    let code: Option<String> = row.get(at);
    let message: Option<String> = row.get(at + 1);
    code.map(|code| Failure::new(&code, message.as_deref().unwrap_or_default()))
}

/// A name that dipmo wrote.
pub(crate) fn name<T: FromStr<Err = UnknownName>>(text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|unknown: UnknownName| unreadable(unknown.kind, &unknown.to_string()))
}

/// A column that holds what dipmo never writes.
pub(crate) fn unreadable(column: &str, problem: &str) -> StoreError {
    StoreError::Unexpected { statement: "read", problem: format!("{column}: {problem}") }
}
