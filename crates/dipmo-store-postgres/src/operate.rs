//! Operators: lock lanes, look where things stand, change them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, OutboxId, OutboxStatus, Outcome, StoreError};
use dipmo_store::{
    Acted, Decoded, Failed, Operate, Operated, Reparsed, Side, Standing, check_count, judge,
};

use crate::reparse;
use crate::session::Session;
use crate::sql::{self, Call, Which, params};
use crate::standing::{Looked, Status, lock_and_look};
use crate::store::PostgresStore;
use crate::work::remains;

/// How many held ones a call lets go in its own transaction.
pub(crate) const RELEASE_IN_CALL: i64 = 500;

#[async_trait]
impl Operate for PostgresStore {
    async fn retry(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids = messages.iter().map(|id| id.0).collect();
        self.operate(Which::Inbox, Act::Retry, ids, |_, it: &Standing<InboxStatus>| it.retry())
            .await
    }

    async fn retry_failed(&self, failed: &[Failed]) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(failed)?;
        let ids = failed.iter().map(|failed| failed.message.0).collect();
        let rule = |place: usize, it: &Standing<_>| it.retry_failed(failed[place].retried);
        self.operate(Which::Inbox, Act::Retry, ids, rule).await
    }

    async fn skip(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids = messages.iter().map(|id| id.0).collect();
        self.operate(Which::Inbox, Act::Skip, ids, |_, it: &Standing<InboxStatus>| it.skip()).await
    }

    async fn retry_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids = units.iter().map(|id| id.0).collect();
        self.operate(Which::Outbox, Act::Retry, ids, |_, it: &Standing<OutboxStatus>| it.retry())
            .await
    }

    async fn skip_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids = units.iter().map(|id| id.0).collect();
        self.operate(Which::Outbox, Act::Skip, ids, |_, it: &Standing<OutboxStatus>| it.skip())
            .await
    }

    async fn reparse(
        &self,
        messages: &[Decoded],
        force: bool,
    ) -> Result<Vec<Reparsed>, StoreError> {
        check_count(messages)?;
        let mut session = self.hot().await?;
        let answers = reparse::run(&mut session, messages, force).await;
        let answers = session.finish(answers).await?;
        let done = answers.iter().filter(|answer| **answer == Reparsed::Done).count();
        self.waking(Side::Inbox, done);
        Ok(answers)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Retry,
    Skip,
}

/// What was changed.
struct Changed {
    releasing: bool,
    /// How many can be worked on now.
    claimable: usize,
}

impl PostgresStore {
    async fn operate<S: Status>(
        &self,
        which: Which,
        act: Act,
        ids: Vec<i64>,
        rule: impl Fn(usize, &Standing<S>) -> Acted<S> + Send,
    ) -> Result<Operated<S>, StoreError> {
        let mut session = self.hot().await?;
        let operated = run(&mut session, which, act, &ids, rule).await;
        let (acts, changed) = session.finish(operated).await?;
        let side = match which {
            Which::Inbox => Side::Inbox,
            Which::Outbox => Side::Outbox,
        };
        self.waking(side, changed.claimable);
        Ok(Operated { acts, releasing: changed.releasing })
    }
}

async fn run<S: Status>(
    session: &mut Session,
    which: Which,
    act: Act,
    ids: &[i64],
    rule: impl Fn(usize, &Standing<S>) -> Acted<S> + Send,
) -> Result<(Vec<Acted<S>>, Changed), StoreError> {
    let looked = lock_and_look::<S>(session, which, ids).await?;
    let (acts, done) = judge(ids, &looked.standings, rule);
    if done.is_empty() {
        session.run(vec![sql::rollback().call()]).await?;
        return Ok((acts, Changed { releasing: false, claimable: 0 }));
    }
    let changed = match act {
        Act::Retry => {
            let mut calls =
                vec![sql::operate_retry(which).with(params![done.clone(), again(which)])];
            calls.extend(count_records(&looked, &done, act));
            calls.push(sql::commit().call());
            session.run(calls).await?;
            Changed { releasing: false, claimable: done.len() }
        }
        Act::Skip => skip(session, which, &looked, done).await?,
    };
    Ok((acts, changed))
}

async fn skip<S: Status>(
    session: &mut Session,
    which: Which,
    looked: &Looked<S>,
    done: Vec<i64>,
) -> Result<Changed, StoreError> {
    let mut calls = vec![sql::operate_skip(which).with(params![
        done.clone(),
        skipped(which),
        Outcome::Skipped.as_str()
    ])];
    calls.extend(count_records(looked, &done, Act::Skip));
    let (queues, lanes) = looked.lanes.clone();
    calls.extend(looked.heads(&done).end(which));
    calls.push(match which {
        Which::Inbox => sql::inbox_release().with(params![lanes.clone(), RELEASE_IN_CALL]),
        Which::Outbox => {
            sql::outbox_release().with(params![queues.clone(), lanes.clone(), RELEASE_IN_CALL])
        }
    });
    calls.push(sql::block_lift(which).with(params![queues, lanes]));
    calls.push(sql::commit().call());
    let answers = session.run(calls).await?;
    let released = answers.iter().rev().nth(2).and_then(|rows| rows.first());
    let released = released.map_or(0, |row| row.get::<_, i64>(0));
    Ok(Changed { releasing: remains(&answers), claimable: usize::try_from(released).unwrap_or(0) })
}

/// Keeps the counts of intents with records.
fn count_records<S: Status>(looked: &Looked<S>, done: &[i64], act: Act) -> Option<Call> {
    let mut counts: BTreeMap<i64, i32> = BTreeMap::new();
    for place in done.iter().filter_map(|id| looked.places.get(id)).filter(|place| place.failed) {
        if let Some(intent) = place.intent {
            *counts.entry(intent).or_default() += 1;
        }
    }
    if counts.is_empty() {
        return None;
    }
    let (intents, counts): (Vec<i64>, Vec<i32>) = counts.into_iter().unzip();
    let none = vec![0_i32; counts.len()];
    let (retried, given_up) = if act == Act::Retry { (counts, none) } else { (none, counts) };
    Some(sql::progress_operate().with(params![intents, retried, given_up]))
}

/// The status of what waits for its next attempt.
const fn again(which: Which) -> &'static str {
    match which {
        Which::Inbox => InboxStatus::Retry.as_str(),
        Which::Outbox => OutboxStatus::Pending.as_str(),
    }
}

/// The status of what was skipped.
const fn skipped(which: Which) -> &'static str {
    match which {
        Which::Inbox => InboxStatus::Processed.as_str(),
        Which::Outbox => OutboxStatus::Failed.as_str(),
    }
}
