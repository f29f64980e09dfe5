//! Storing messages: ids, dedupe, the log, and offsets, in one transaction.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use dipmo_domain::{InboxId, StoreError};
use dipmo_inbox::{Inbox, NewMessage, SourceOffset, Stored};

use crate::message_writes;
use crate::session::Session;
use crate::sql::{self, Call, params};
use crate::store::PostgresStore;
use crate::types::PgUuid;

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
        session.finish(stored).await.inspect(|stored| self.wake_for(stored))
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
        writes.extend(message_writes::incidents(messages, &answer));
    }
    let new: Vec<(i64, &NewMessage)> =
        ids.into_iter().zip(messages).filter(|(id, _)| fresh.contains(id)).collect();
    if !new.is_empty() {
        writes.push(message_writes::log(&new));
        writes.extend(message_writes::ready(&new));
        writes.extend(message_writes::undecodable(&new));
    }
    Ok((answer, writes))
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
