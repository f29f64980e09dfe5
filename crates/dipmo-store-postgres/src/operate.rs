//! Operators: lock a lane, look where things stand, change them, and go on with the next lane.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, OutboxId, OutboxStatus, Outcome, StoreError};
use dipmo_store::{
    Acted, Decoded, Failed, Operate, Operated, Reparsed, Side, Standing, check_count, judge,
};

use tokio_postgres::Row;

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
    async fn retry(
        &self,
        messages: &[InboxId],
        force: bool,
    ) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids = messages.iter().map(|id| id.0).collect();
        let rule = move |_, it: &Standing<InboxStatus>| it.retry(force);
        self.operate(Which::Inbox, Act::Retry, ids, rule).await
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

    async fn release_behind(
        &self,
        messages: &[InboxId],
    ) -> Result<Operated<InboxStatus>, StoreError> {
        check_count(messages)?;
        let ids = messages.iter().map(|id| id.0).collect();
        let rule = |_, it: &Standing<InboxStatus>| it.release_behind();
        self.operate(Which::Inbox, Act::Release, ids, rule).await
    }

    async fn retry_units(
        &self,
        units: &[OutboxId],
        force: bool,
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids = units.iter().map(|id| id.0).collect();
        let rule = move |_, it: &Standing<OutboxStatus>| it.retry(force);
        self.operate(Which::Outbox, Act::Retry, ids, rule).await
    }

    async fn skip_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids = units.iter().map(|id| id.0).collect();
        self.operate(Which::Outbox, Act::Skip, ids, |_, it: &Standing<OutboxStatus>| it.skip())
            .await
    }

    async fn release_behind_units(
        &self,
        units: &[OutboxId],
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        check_count(units)?;
        let ids = units.iter().map(|id| id.0).collect();
        let rule = |_, it: &Standing<OutboxStatus>| it.release_behind();
        self.operate(Which::Outbox, Act::Release, ids, rule).await
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
    Release,
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
        rule: impl Fn(usize, &Standing<S>) -> Acted<S> + Send + Sync,
    ) -> Result<Operated<S>, StoreError> {
        let side = match which {
            Which::Inbox => Side::Inbox,
            Which::Outbox => Side::Outbox,
        };
        let mut session = self.hot().await?;
        let mut operated = Operated { acts: vec![Acted::NotFound; ids.len()], releasing: false };
        // One lane at a time: to wait for one while holding others would hold up all of them.
        for places in lanes(&mut session, which, &ids).await? {
            let of_lane: Vec<i64> = places.iter().map(|place| ids[*place]).collect();
            let in_call = |at: usize, it: &Standing<S>| rule(places[at], it);
            let done = run(&mut session, which, act, &of_lane, in_call).await;
            let (acts, changed) = session.unless_failed(done, false).await?;
            places.into_iter().zip(acts).for_each(|(place, act)| operated.acts[place] = act);
            operated.releasing |= changed.releasing;
            self.waking(side, changed.claimable);
        }
        Ok(operated)
    }
}

/// The places of ids in a call, lane by lane; those that nobody has are in none.
async fn lanes(
    session: &mut Session,
    which: Which,
    ids: &[i64],
) -> Result<Vec<Vec<usize>>, StoreError> {
    let find = match which {
        Which::Inbox => sql::message_places(),
        Which::Outbox => sql::unit_places(),
    };
    let rows = session.run(vec![find.with(params![ids.to_vec()])]).await?.remove(0);
    let found: HashMap<i64, (String, i16)> =
        rows.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
    let mut lanes: BTreeMap<(String, i16), Vec<usize>> = BTreeMap::new();
    for (place, id) in ids.iter().enumerate() {
        if let Some(lane) = found.get(id) {
            lanes.entry(lane.clone()).or_default().push(place);
        }
    }
    Ok(lanes.into_values().collect())
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
        Act::Skip => {
            let outcome = Outcome::Skipped.as_str();
            let skip = params![done.clone(), skipped(which), outcome];
            let mut calls = vec![sql::operate_skip(which).with(skip)];
            calls.extend(count_records(&looked, &done, act));
            go_on_without(session, which, &looked, &done, calls).await?
        }
        Act::Release => {
            let mut calls = Vec::new();
            if which == Which::Inbox {
                calls.push(sql::operate_release().with(params![done.clone()]));
            }
            go_on_without(session, which, &looked, &done, calls).await?
        }
    };
    Ok((acts, changed))
}

/// Does the calls, and then all that follows when nobody waits for heads any more.
async fn go_on_without<S: Status>(
    session: &mut Session,
    which: Which,
    looked: &Looked<S>,
    heads: &[i64],
    mut calls: Vec<Call>,
) -> Result<Changed, StoreError> {
    calls.extend(let_go(which, looked, heads));
    let answers = session.run(calls).await?;
    Ok(Changed { releasing: remains(&answers), claimable: claimable(which, &answers) })
}

/// Ends the blocks of heads that nobody waits for any more, lets go what they held, and commits.
fn let_go<S: Status>(which: Which, looked: &Looked<S>, heads: &[i64]) -> Vec<Call> {
    let (queues, lanes) = looked.lanes.clone();
    let mut calls = Vec::new();
    if which == Which::Inbox {
        // Nobody waits for their versions any more.
        calls.push(sql::wake().with(params![looked.keys(heads)]));
    }
    calls.extend(looked.heads(heads).end(which));
    calls.push(match which {
        Which::Inbox => sql::inbox_release().with(params![lanes.clone(), RELEASE_IN_CALL]),
        Which::Outbox => {
            sql::outbox_release().with(params![queues.clone(), lanes.clone(), RELEASE_IN_CALL])
        }
    });
    calls.push(sql::block_lift(which).with(params![queues, lanes]));
    calls.push(sql::commit().call());
    calls
}

/// How many [`let_go`] made claimable. One more stands for messages that were parked, which nobody
/// counts.
fn claimable(which: Which, answers: &[Vec<Row>]) -> usize {
    let released = answers.iter().rev().nth(2).and_then(|rows| rows.first());
    let released = released.map_or(0, |row| row.get::<_, i64>(0));
    usize::try_from(released).unwrap_or(0) + usize::from(which == Which::Inbox)
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
