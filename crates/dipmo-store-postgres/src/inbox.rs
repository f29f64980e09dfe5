//! Storing messages: ids, dedupe, the log, and offsets, in one transaction.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use dipmo_domain::{ErrorStage, InboxId, InboxStatus, StoreError};
use dipmo_inbox::{Body, Inbox, NewMessage, SourceOffset, Stored};

use crate::exception::{ExceptionRow, Exceptions};
use crate::session::Session;
use crate::sql::{self, Call, Which, params};
use crate::store::PostgresStore;
use crate::types::{PgJson, PgTime, PgUuid};

/// How many ids one value of the sequences stands for.
pub(crate) const ID_BLOCK: usize = 1_000;

#[async_trait]
impl Inbox for PostgresStore {
    async fn store(
        &self,
        messages: &[NewMessage],
        offsets: &[SourceOffset],
    ) -> Result<Vec<Stored>, StoreError> {
        let mut session = self.hot().await?;
        let stored = store(&mut session, messages, offsets).await;
        session.finish(stored).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        let call = sql::offset_list().with(params![group.to_owned()]);
        let rows = self.report().await?.run(vec![call]).await?.remove(0);
        let offset = |row: &tokio_postgres::Row| SourceOffset {
            group: group.to_owned(),
            topic: row.get(0),
            partition: row.get(1),
            topic_id: row.get::<_, Option<PgUuid>>(2).map(|id| id.0),
            next_offset: row.get(3),
        };
        Ok(rows.iter().map(offset).collect())
    }
}

async fn store(
    session: &mut Session,
    messages: &[NewMessage],
    offsets: &[SourceOffset],
) -> Result<Vec<Stored>, StoreError> {
    let mut calls = vec![sql::begin().call()];
    let mut answer = Vec::new();
    if !messages.is_empty() {
        (answer, calls) = insert(session, calls, messages).await?;
    }
    calls.extend((!offsets.is_empty()).then(|| put_offsets(offsets)));
    calls.push(sql::commit().call());
    session.run(calls).await?;
    Ok(answer)
}

/// Finds out which messages are new, and what remains to be written for them. `before` runs first:
/// a `begin`, or the writes that these messages belong to.
pub(crate) async fn insert(
    session: &mut Session,
    mut before: Vec<Call>,
    messages: &[NewMessage],
) -> Result<(Vec<Stored>, Vec<Call>), StoreError> {
    let blocks = i32::try_from(messages.len().div_ceil(ID_BLOCK)).unwrap_or(i32::MAX);
    before.push(sql::inbox_ids().with(params![blocks]));
    let bases = session.run(before).await?.pop().unwrap_or_default();
    let ids: Vec<i64> = (0..messages.len())
        .map(|at| bases[at / ID_BLOCK].get::<_, i64>(0) + i64::try_from(at % ID_BLOCK).unwrap_or(0))
        .collect();

    let keys: Vec<PgUuid> = messages.iter().map(|m| PgUuid(*m.dedupe_key.as_bytes())).collect();
    let contents: Vec<i64> = messages.iter().map(|m| m.content.0).collect();
    let dedupe = sql::inbox_dedupe().with(params![keys.clone(), contents, ids.clone()]);
    let fresh: HashSet<i64> =
        session.run(vec![dedupe]).await?.remove(0).iter().map(|row| row.get(0)).collect();

    let mut answer: Vec<Stored> = ids.iter().map(|id| Stored::New(InboxId(*id))).collect();
    let mut writes = Vec::new();
    if fresh.len() < messages.len() {
        let repeated: Vec<PgUuid> = keys
            .iter()
            .zip(&ids)
            .filter(|(_, id)| !fresh.contains(id))
            .map(|(key, _)| *key)
            .collect();
        let find = sql::inbox_duplicates().with(params![repeated]);
        let rows = session.run(vec![find]).await?.remove(0);
        let first: HashMap<PgUuid, (i64, i64)> =
            rows.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
        for at in (0..messages.len()).filter(|at| !fresh.contains(&ids[*at])) {
            // The first one is committed, or of this batch; it can only be missing if it was
            // forgotten in this very moment, and then the batch is to be tried again.
            let Some((content, id)) = first.get(&keys[at]) else {
                let problem = "a dedupe id was forgotten meanwhile".to_owned();
                return Err(StoreError::Busy { statement: "inbox_duplicates", problem });
            };
            answer[at] = if *content == messages[at].content.0 {
                Stored::Duplicate(InboxId(*id))
            } else {
                Stored::Conflict(InboxId(*id))
            };
        }
        writes.extend(incidents(messages, &answer));
    }
    let new: Vec<(i64, &NewMessage)> =
        ids.into_iter().zip(messages).filter(|(id, _)| fresh.contains(id)).collect();
    if !new.is_empty() {
        writes.push(log(&new));
        writes.extend(ready(&new));
        writes.extend(undecodable(&new).call(Which::Inbox));
    }
    Ok((answer, writes))
}

fn log(new: &[(i64, &NewMessage)]) -> Call {
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
    let json =
        (!message.originals.is_empty()).then(|| dipmo_domain::Json::of(&message.originals).ok());
    json.flatten().map(PgJson)
}

fn ready(new: &[(i64, &NewMessage)]) -> Option<Call> {
    let decodable = new.iter().filter(|(_, m)| matches!(m.body, Body::Json(_)));
    let (ids, lanes): (Vec<i64>, Vec<i16>) =
        decodable.map(|(id, m)| (*id, i16::from(m.lane.index()))).unzip();
    (!ids.is_empty()).then(|| sql::inbox_ready_insert().with(params![ids, lanes]))
}

fn undecodable(new: &[(i64, &NewMessage)]) -> Exceptions {
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
    rows
}

fn incidents(messages: &[NewMessage], answer: &[Stored]) -> Option<Call> {
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
    ]))
}

/// The greatest offset of each partition: one statement may touch a row only once.
fn put_offsets(offsets: &[SourceOffset]) -> Call {
    let mut last: HashMap<(&str, &str, i32), &SourceOffset> = HashMap::new();
    for offset in offsets {
        last.entry((&offset.group, &offset.topic, offset.partition))
            .and_modify(|known| {
                if offset.topic_id != known.topic_id || offset.next_offset > known.next_offset {
                    *known = offset;
                }
            })
            .or_insert(offset);
    }
    let rows: Vec<&SourceOffset> = last.into_values().collect();
    sql::offset_put().with(params![
        rows.iter().map(|o| o.group.clone()).collect::<Vec<_>>(),
        rows.iter().map(|o| o.topic.clone()).collect::<Vec<_>>(),
        rows.iter().map(|o| o.partition).collect::<Vec<_>>(),
        rows.iter().map(|o| o.topic_id.map(PgUuid)).collect::<Vec<_>>(),
        rows.iter().map(|o| o.next_offset).collect::<Vec<_>>(),
    ])
}
