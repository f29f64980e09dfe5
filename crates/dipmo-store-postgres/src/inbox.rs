//! Storing messages: ids, dedupe, the log, and offsets, in one transaction.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, InboxId, StoreError};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_store::{Side, bring_back, serde_letters};
use tokio_postgres::Row;

use crate::intents::{self, UnitIds};
use crate::session::Session;
use crate::sql::{self, Call, params};
use crate::store::PostgresStore;
use crate::types::PgUuid;
use crate::{message_writes, offsets, pipeline, whereabouts};

/// How many ids one value of the sequences stands for.
pub(crate) const ID_BLOCK: usize = 1_000;

#[async_trait]
impl Inbox for PostgresStore {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        let mut session = self.hot().await?;
        let stored = store(self, &mut session, messages, ranges).await;
        if matches!(stored, Err(StoreError::Busy { statement: "inbox_dedupe", .. })) {
            self.end_stuck_copies().await?;
        }
        session.finish(stored).await.inspect(|stored| self.wake_for(stored))
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.hot().await?.run(vec![offsets::begin(offsets)]).await.map(drop)
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        bring_back(self, letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        let call = sql::offset_list().with(params![group.to_owned()]);
        let rows = self.hot().await?.run(vec![call]).await?.remove(0);
        let offset = |row: &Row| SourceOffset {
            group: group.to_owned(),
            topic: row.get(0),
            partition: row.get(1),
            topic_id: row.get::<_, Option<PgUuid>>(2).map(|id| id.0),
            next_offset: row.get(3),
        };
        Ok(rows.iter().map(offset).collect())
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        whereabouts::find(self, keys).await
    }
}

async fn store(
    store: &PostgresStore,
    session: &mut Session,
    messages: &[NewMessage],
    ranges: &[SourceRange],
) -> Result<Vec<Stored>, StoreError> {
    let offsets = offsets::advance(ranges)?;
    let mut calls = vec![sql::begin().call()];
    let mut answer = Vec::new();
    let lanes = blocked_lanes(messages);
    if !lanes.is_empty() {
        // Nobody may be ending a block of these keys meanwhile. Locks are not held inside a COPY.
        calls.push(sql::lane_wait().with(params![lanes]));
        (answer, calls) = insert(session, calls, messages).await?;
    } else if !messages.is_empty() {
        (answer, calls) = copy(session, messages).await?;
    }
    calls.extend(offsets);
    let letters = serde_letters(messages, &answer);
    let mirrored = letters.len();
    let mut unseen = Vec::new();
    if mirrored > 0 {
        let mut ids = UnitIds::default();
        ids.fetch_after(session, calls, intents::units(&letters)).await?;
        unseen = store.unseen(letters.iter().map(|letter| letter.destination.to_string()));
        calls = intents::calls(letters, &mut ids, &unseen);
    }
    calls.extend(message_writes::groups(messages, &answer).call());
    calls.push(sql::commit().call());
    session.run(calls).await?;
    store.remember(unseen);
    store.waking(Side::Outbox, mirrored);
    Ok(answer)
}

/// The lanes of those whose order keys wait for them from the start.
fn blocked_lanes(messages: &[NewMessage]) -> Vec<i16> {
    let blocking = messages.iter().filter(|message| message.blocked_key().is_some());
    blocking.map(|message| i16::from(message.lane.index())).collect()
}

/// Finds out which messages are new, and copies them into the log; answers what remains to be
/// written. A session that stands still inside a COPY is not timed out, so this is only for a
/// transaction that holds nothing but its dedupe ids: who waits for those ends it.
async fn copy(
    session: &mut Session,
    messages: &[NewMessage],
) -> Result<(Vec<Stored>, Vec<Call>), StoreError> {
    // While the database looks for duplicates, the rows are made as if there were none.
    let calls = vec![sql::begin().call(), recognise(messages)];
    let (ran, (order, rows)) =
        futures_util::join!(session.run_and_open(calls, sql::inbox_copy()), async {
            pipeline::let_it_leave().await;
            let order = lane_by_lane(messages);
            let rows = message_writes::rows(order.iter().map(|at| &messages[*at]));
            (order, rows)
        });
    let (answers, open) = ran?;
    let given = Given::new(&answers, messages);
    let id = |at: usize| given.is_new(at).then_some(given.ids[at]);
    let rows = rows.finish_with(|place| id(order[place]));
    let log = sql::inbox_copy().go_on(open, rows);
    answer(session, &given, messages, Some(log)).await
}

/// As [`copy`], with a statement. `before` runs first: the writes that these messages belong to.
pub(crate) async fn insert(
    session: &mut Session,
    mut before: Vec<Call>,
    messages: &[NewMessage],
) -> Result<(Vec<Stored>, Vec<Call>), StoreError> {
    before.push(recognise(messages));
    let answers = session.run(before).await?;
    let given = Given::new(&answers, messages);
    let log = (!given.new.is_empty()).then(|| message_writes::insert(&given.new));
    answer(session, &given, messages, log).await
}

/// The order in which messages are put down, whatever their ids: a worker takes a lane, and finds
/// its messages side by side on few pages instead of one on each.
fn lane_by_lane(messages: &[NewMessage]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..messages.len()).collect();
    order.sort_by_key(|at| messages[*at].lane);
    order
}

fn recognise(messages: &[NewMessage]) -> Call {
    let contents: Vec<i64> = messages.iter().map(|m| m.content.0).collect();
    let blocks = i32::try_from(messages.len().div_ceil(ID_BLOCK)).unwrap_or(i32::MAX);
    sql::inbox_dedupe().with(params![keys(messages), contents, blocks])
}

fn keys(messages: &[NewMessage]) -> Vec<PgUuid> {
    messages.iter().map(|m| PgUuid(*m.dedupe_key.as_bytes())).collect()
}

/// What became of the messages, and what remains to be written; `log` is first.
async fn answer(
    session: &mut Session,
    given: &Given<'_>,
    messages: &[NewMessage],
    log: Option<Call>,
) -> Result<(Vec<Stored>, Vec<Call>), StoreError> {
    let mut writes: Vec<Call> = log.into_iter().collect();
    writes.extend(message_writes::ready(&given.new));
    writes.extend(message_writes::undecodable(&given.new));
    writes.extend(message_writes::bars(&given.new));
    let mut answer: Vec<Stored> = given.ids.iter().map(|id| Stored::New(InboxId(*id))).collect();
    if given.new.len() < messages.len() {
        let keys = keys(messages);
        let known = |at: &usize| !given.is_new(*at);
        let repeated: Vec<usize> = (0..messages.len()).filter(known).collect();
        let find: Vec<PgUuid> = repeated.iter().map(|at| keys[*at]).collect();
        writes.push(sql::inbox_duplicates().with(params![find]));
        let rows = session.run(writes).await?.pop().unwrap_or_default();
        let first: HashMap<PgUuid, (i64, i64)> =
            rows.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
        for at in repeated {
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
        let conflict = |(stored, message)| match stored {
            &Stored::Conflict(first) => Some((first.0, message)),
            _ => None,
        };
        let conflicts: Vec<_> = answer.iter().zip(messages).filter_map(conflict).collect();
        writes = message_writes::incidents(&conflicts).into_iter().collect();
    }
    Ok((answer, writes))
}

/// The ids that `inbox_dedupe` gave to a batch, and which of its messages are new.
struct Given<'a> {
    ids: Vec<i64>,
    fresh: HashSet<i64>,
    new: Vec<(i64, &'a NewMessage)>,
}

impl<'a> Given<'a> {
    /// `inbox_dedupe` was the last that was asked.
    fn new(answers: &[Vec<Row>], messages: &'a [NewMessage]) -> Self {
        let row = answers.last().and_then(|rows| rows.first());
        let blocks: Vec<i64> = row.map(|row| row.get(0)).unwrap_or_default();
        let fresh: Vec<i64> = row.map(|row| row.get(1)).unwrap_or_default();
        let size = i64::try_from(ID_BLOCK).unwrap_or(i64::MAX);
        let ids = blocks.iter().flat_map(|first| *first..first + size);
        let ids: Vec<i64> = ids.take(messages.len()).collect();
        let fresh: HashSet<i64> = fresh.into_iter().collect();
        let of_new = |(id, _): &(i64, _)| fresh.contains(id);
        let new = ids.iter().copied().zip(messages).filter(of_new).collect();
        Self { ids, fresh, new }
    }

    fn is_new(&self, at: usize) -> bool {
        self.fresh.contains(&self.ids[at])
    }
}
