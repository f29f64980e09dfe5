//! Acts on what is in one lane: what is written when it is locked, and it is known where things stand.

use std::collections::{BTreeMap, HashMap};

use dipmo_domain::{InboxStatus, OutboxStatus, Outcome, StoreError};
use tokio_postgres::Row;

use crate::session::Session;
use crate::sql::{self, Call, Which, params};
use crate::standing::{Looked, Status};
use crate::work::remains;

/// How many held ones a call lets go in its own transaction.
pub(crate) const RELEASE_IN_CALL: i64 = 500;

/// What is done to what is in a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    Retry,
    Skip,
    Release,
}

/// What was changed.
#[derive(Default)]
pub(crate) struct Changed {
    pub(crate) releasing: bool,
    /// How many can be worked on now.
    pub(crate) claimable: usize,
}

/// The places of ids in a call, lane by lane; those that nobody has are in none.
pub(crate) async fn lanes(
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

/// Changes those of a lane that are to be changed, with what is written beside it, and commits. Answers what
/// the statements answered as well, those beside it first.
pub(crate) async fn change<S: Status>(
    session: &mut Session,
    which: Which,
    act: Act,
    looked: &Looked<S>,
    done: &[i64],
    beside: Vec<Call>,
) -> Result<(Changed, Vec<Vec<Row>>), StoreError> {
    let mut calls = beside;
    calls.extend(mark(which, act, done));
    if act != Act::Release {
        calls.extend(count_records(looked, done, act));
    }
    if act != Act::Retry {
        calls.extend(let_go(which, looked, done));
    }
    calls.push(sql::commit().call());
    let answers = session.run(calls).await?;
    let changed = match act {
        Act::Retry => Changed { releasing: false, claimable: done.len() },
        Act::Skip | Act::Release => {
            Changed { releasing: remains(&answers), claimable: claimable(which, &answers) }
        }
    };
    Ok((changed, answers))
}

/// Says of the rows themselves what becomes of them; a unit that is released stays as it is.
fn mark(which: Which, act: Act, done: &[i64]) -> Option<Call> {
    let done = done.to_vec();
    Some(match (act, which) {
        (Act::Retry, _) => sql::operate_retry(which).with(params![done, again(which)]),
        (Act::Skip, _) => {
            let outcome = Outcome::Skipped.as_str();
            sql::operate_skip(which).with(params![done, skipped(which), outcome])
        }
        (Act::Release, Which::Inbox) => sql::operate_release().with(params![done]),
        (Act::Release, Which::Outbox) => return None,
    })
}

/// Ends the blocks of heads that nobody waits for any more, and lets go what they held.
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
    calls
}

/// How many [`let_go`] made claimable, when the commit was behind it. One more stands for messages that were
/// parked, which nobody counts.
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
