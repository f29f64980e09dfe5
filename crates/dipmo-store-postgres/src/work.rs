//! A batch: lock lanes, read, let the logic decide in waves, write and commit.

use std::collections::HashSet;

use async_trait::async_trait;
use dipmo_domain::{InboxId, Lane, StoreError};
use dipmo_inbox::NewMessage;
use dipmo_store::{BatchLogic, BatchReport, ClaimLimits, ClaimedBatch, ClaimedMessage, Side, Work};
use tokio_postgres::Row;

use crate::rows::{self, MESSAGE_COLUMNS};
use crate::session::Session;
use crate::settle::{Last, Ledger};
use crate::sql::{self, Which, params};
use crate::store::PostgresStore;
use crate::types::PgTime;
use crate::wave::{Reads, Writes};
use crate::{handler, inbox, timers};

/// How many held messages a batch lets go in its own transaction.
const RELEASE_IN_BATCH: i64 = 500;

#[async_trait]
impl Work for PostgresStore {
    async fn process_batch(
        &self,
        limits: ClaimLimits,
        mut logic: Box<dyn BatchLogic>,
    ) -> Result<(BatchReport, Box<dyn BatchLogic>), StoreError> {
        let mut session = self.hot().await?;
        let done = run_batch(self, &mut session, limits, &mut *logic).await;
        session.finish(done).await.map(|report| (report, logic))
    }

    async fn release(&self, limit: u32) -> Result<usize, StoreError> {
        let mut session = self.hot().await?;
        // A lane may turn out to have nothing left; 0 is only said when no lane has.
        loop {
            match release_lane(&mut session, limit).await? {
                Some(0) if limit > 0 => {}
                let_go => return Ok(self.waking(Side::Inbox, let_go.unwrap_or(0))),
            }
        }
    }

    async fn fire_timers(&self, limit: u32) -> Result<usize, StoreError> {
        let mut session = self.hot().await?;
        let take = sql::timer_take().with(params![i64::from(limit)]);
        let due = session.run(vec![sql::begin().call(), take]).await?.remove(1);
        let messages = timers::messages(&due);
        let fired = fire(&mut session, &messages).await;
        session.finish(fired).await.map(|()| self.waking(Side::Inbox, messages.len()))
    }
}

/// A batch from its claim to its commit.
async fn run_batch(
    store: &PostgresStore,
    session: &mut Session,
    limits: ClaimLimits,
    logic: &mut dyn BatchLogic,
) -> Result<BatchReport, StoreError> {
    let Some(Claim { lanes, batch, again, failed }) = claim(session, limits).await? else {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok(BatchReport::default());
    };
    let mut report = BatchReport { messages: batch.messages.len(), ..BatchReport::default() };
    let mut ledger = Ledger::new(&batch, &again, failed);
    // Handlers see the messages after the logic has taken them.
    let messages = if store.has_handlers() { batch.messages.clone() } else { Vec::new() };
    logic.claimed(batch);

    let mut writes = Writes::default();
    while let Some(needs) = logic.needs() {
        let mut reads = Reads::new(&store.tables(), needs)?;
        let found = reads.fetch(session, writes.take_calls(), &mut writes).await?;
        let found = handler::run_all(store, session, &messages, reads, found).await?;
        let changes = logic.decide(found);
        report.intents += changes.intents.len();
        writes.add(store, session, &mut ledger, changes).await?;
    }
    ledger.check_all_settled()?;

    let numbers: Vec<i16> = lanes.iter().map(|lane| i16::from(lane.index())).collect();
    let mut calls = writes.take_calls();
    let Last { overtakes, groups, ends } = ledger.finish();
    calls.extend(overtakes);
    calls.extend(groups);
    let releases = ends.is_some();
    if let Some(end) = ends {
        calls.push(end);
        calls.push(sql::inbox_release().with(params![numbers.clone(), RELEASE_IN_BATCH]));
        calls.push(sql::block_lift(Which::Inbox).with(params![vec![""; numbers.len()], numbers]));
    }
    calls.push(sql::commit().call());
    let answers = session.run(calls).await?;
    store.remember(writes.new_destinations);
    store.wake_after(report.intents, releases, &answers);
    report.releasing = releases && remains(&answers);
    report.lanes = lanes;
    Ok(report)
}

/// What a batch has locked and read.
struct Claim {
    lanes: Vec<Lane>,
    batch: ClaimedBatch,
    /// The messages that have a row of their own already.
    again: HashSet<InboxId>,
    /// Something failed that may be overtaken.
    failed: bool,
}

/// Locks lanes, then reads their messages with a snapshot that is newer than the locks.
async fn claim(session: &mut Session, limits: ClaimLimits) -> Result<Option<Claim>, StoreError> {
    let lock =
        sql::lane_lock().with(params![i16::from(limits.start.index()), i64::from(limits.lanes)]);
    let locked = session.run(vec![sql::begin().call(), lock]).await?.remove(1);
    let Some(first) = locked.first() else { return Ok(None) };
    let now = first.get::<_, PgTime>(1).0;
    let numbers: Vec<i16> = locked.iter().map(|row| row.get(0)).collect();
    let most = i64::from(limits.messages);
    let answers = session
        .run(vec![
            sql::inbox_take().with(params![numbers.clone(), most]),
            sql::inbox_take_due().with(params![numbers.clone(), most]),
            sql::failed_any().call(),
        ])
        .await?;
    check_found(&answers[0])?;
    check_count(&answers[1], answers[1].len())?;
    let fresh = answers[0].iter().map(|row| claimed(row, false));
    let due: Vec<_> = answers[1].iter().map(|row| claimed(row, true)).collect::<Result<_, _>>()?;
    let again = due.iter().map(|claimed| claimed.message.id).collect();
    let mut messages = fresh.chain(due.into_iter().map(Ok)).collect::<Result<Vec<_>, _>>()?;
    if messages.is_empty() {
        return Ok(None);
    }
    messages.sort_by_key(|claimed| claimed.message.id);
    let lanes = numbers.into_iter().map(rows::lane).collect::<Result<_, _>>()?;
    let failed = answers[2].first().is_some_and(|row| row.get(0));
    Ok(Some(Claim { lanes, batch: ClaimedBatch { now, messages }, again, failed }))
}

/// Lets go what is held in one lane, a free one if there is one; `None` when no lane has any.
async fn release_lane(session: &mut Session, limit: u32) -> Result<Option<usize>, StoreError> {
    let free = vec![sql::begin().call(), sql::lane_lock_ended().call()];
    let mut locked = session.run(free).await?.remove(1);
    if locked.is_empty() {
        locked = session.run(vec![sql::lane_wait_ended().call()]).await?.remove(0);
    }
    let lanes: Vec<i16> = locked.iter().map(|row| row.get(0)).collect();
    if lanes.is_empty() {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok(None);
    }
    let answers = session
        .run(vec![
            sql::inbox_release().with(params![lanes.clone(), i64::from(limit)]),
            sql::block_lift(Which::Inbox).with(params![vec![""; lanes.len()], lanes]),
            sql::commit().call(),
        ])
        .await?;
    Ok(Some(usize::try_from(answers[0][0].get::<_, i64>(0)).unwrap_or(0)))
}

async fn fire(session: &mut Session, messages: &[NewMessage]) -> Result<(), StoreError> {
    let mut writes = Vec::new();
    if !messages.is_empty() {
        (_, writes) = inbox::insert(session, writes, messages).await?;
    }
    writes.push(sql::commit().call());
    session.run(writes).await.map(|_| ())
}

/// Fails unless all messages of the chunks that were taken were found in the log. Else their month
/// is being made or dropped right now; to go on would end them unseen.
fn check_found(rows: &[Row]) -> Result<(), StoreError> {
    let wanted: i64 = rows.first().map_or(0, |row| row.get(MESSAGE_COLUMNS));
    check_count(rows, usize::try_from(wanted).unwrap_or(0))
}

fn check_count(rows: &[Row], wanted: usize) -> Result<(), StoreError> {
    if rows.iter().filter(|row| row.get::<_, Option<i64>>(0).is_some()).count() == wanted {
        return Ok(());
    }
    let problem = "a message was not found in the log".to_owned();
    Err(StoreError::Busy { statement: "inbox_take", problem })
}

fn claimed(row: &Row, again: bool) -> Result<ClaimedMessage, StoreError> {
    let message = rows::message(row)?;
    if !again {
        return Ok(ClaimedMessage { message, attempts: 0, parked_until: None, retried: 0 });
    }
    let count = |column| u32::try_from(row.get::<_, i32>(column)).unwrap_or(0);
    Ok(ClaimedMessage {
        message,
        attempts: count(MESSAGE_COLUMNS),
        parked_until: rows::time(row, MESSAGE_COLUMNS + 1),
        retried: count(MESSAGE_COLUMNS + 2),
    })
}

/// Whether blocks remain, by what `block_lift` answered.
pub(crate) fn remains(answers: &[Vec<Row>]) -> bool {
    lifted(answers).is_some_and(|row| row.get(0))
}

/// What `block_lift` answered, the last statement before the commit.
pub(crate) fn lifted(answers: &[Vec<Row>]) -> Option<&Row> {
    answers.iter().rev().nth(1).and_then(|rows| rows.first())
}
