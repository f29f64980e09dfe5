//! Performing items: for each lane a transaction that changes them, and says so in the operation.
//!
//! **Invariants:** lanes are locked before the operation, by everybody, and one lane at a time, so that nobody
//! waits in a circle. From the check of the lease to the commit the operation is locked: an item is met once,
//! and none is met after somebody paused, cancelled or took the operation.

use std::collections::BTreeSet;

use dipmo_domain::{InboxStatus, OutboxStatus, StoreError};
use dipmo_store::admin::{Act, Operation, OperationItem, OperationLease, Performed, Seen};
use dipmo_store::{Acted, Side, Standing, check_count, judge};

use super::items::{Counted, checks, counted, meet, open};
use super::resend;
use crate::lane_acts::{self, Changed, change, lanes};
use crate::session::Session;
use crate::sql::{self, Which};
use crate::standing::{Looked, Status, lock, look};
use crate::store::PostgresStore;

/// What an operation does to something that stands so, and was seen so: see [`Standing`].
type Rule<S> = fn(&Standing<S>, Act, bool, Option<&Seen>) -> Acted<S>;

pub(super) async fn run(
    store: &PostgresStore,
    lease: &OperationLease,
    items: &[OperationItem],
) -> Result<Performed, StoreError> {
    check_count(items)?;
    let ids: BTreeSet<i64> = items.iter().map(|item| item.id).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    match lease.operation.side {
        Side::Inbox => lane_by_lane(store, lease, ids, Standing::<InboxStatus>::perform).await,
        Side::Outbox => lane_by_lane(store, lease, ids, Standing::<OutboxStatus>::perform).await,
    }
}

async fn lane_by_lane<S: Status>(
    store: &PostgresStore,
    lease: &OperationLease,
    ids: Vec<i64>,
    rule: Rule<S>,
) -> Result<Performed, StoreError> {
    let side = lease.operation.side;
    let mut session = store.hot().await?;
    let mut performed = Performed { met: 0, done: 0, releasing: false };
    let mut nowhere: BTreeSet<i64> = ids.iter().copied().collect();
    for places in lanes(&mut session, Which::of(side), &ids).await? {
        let of_lane: Vec<i64> = places.into_iter().map(|place| ids[place]).collect();
        for id in &of_lane {
            nowhere.remove(id);
        }
        let met = lane(&mut session, lease, of_lane, rule).await;
        let (counted, changed) = session.unless_failed(met, false).await?;
        add(&mut performed, counted);
        performed.releasing |= changed.releasing;
        store.waking(side, changed.claimable);
    }
    if !nowhere.is_empty() {
        let met = nobody(&mut session, lease, nowhere.into_iter().collect()).await;
        add(&mut performed, session.unless_failed(met, false).await?);
    }
    Ok(performed)
}

const fn add(performed: &mut Performed, counted: Counted) {
    performed.met += counted.met;
    performed.done += counted.done;
}

/// Meets those items of one lane that are open.
async fn lane<S: Status>(
    session: &mut Session,
    lease: &OperationLease,
    ids: Vec<i64>,
    rule: Rule<S>,
) -> Result<(Counted, Changed), StoreError> {
    let which = Which::of(lease.operation.side);
    let checks = checks(lease, ids.clone());
    let (looked, answers): (Looked<S>, _) =
        look(session, which, lock(which, &ids), checks, &ids).await?;
    let (ids, seen): (Vec<i64>, Vec<Option<Seen>>) = open(&answers).into_iter().unzip();
    let Operation { act, force, .. } = lease.operation;
    let as_seen = |place: usize, it: &Standing<S>| rule(it, act, force, seen[place].as_ref());
    let (acts, done) = judge(&ids, &looked.standings, as_seen);
    let met = meet(lease, ids, acts.iter().map(Acted::word).collect());
    let (changed, answers) = match act_in_lane(act) {
        Some(act) if !done.is_empty() => {
            change(session, which, act, &looked, &done, vec![met]).await?
        }
        _ => {
            let mut calls = vec![met];
            let mut changed = Changed::default();
            if act == Act::Resend && !done.is_empty() {
                calls.extend(resend::calls(session, &looked, &done).await?);
                changed.claimable = done.len();
            }
            calls.push(sql::commit().call());
            (changed, session.run(calls).await?)
        }
    };
    Ok((counted(&answers[0]), changed))
}

/// Meets items that are in no lane: nobody has them, or not any more.
async fn nobody(
    session: &mut Session,
    lease: &OperationLease,
    ids: Vec<i64>,
) -> Result<Counted, StoreError> {
    let mut calls = vec![sql::begin().call()];
    calls.extend(checks(lease, ids));
    let answers = session.run(calls).await?;
    let ids: Vec<i64> = open(&answers).into_keys().collect();
    let word = Acted::<InboxStatus>::NotFound.word();
    let words = vec![word; ids.len()];
    let answers = session.run(vec![meet(lease, ids, words), sql::commit().call()]).await?;
    Ok(counted(&answers[0]))
}

/// What is done to the row of an item in its lane. What is decoded again goes from lane to lane, and what is sent
/// or processed again stays as it is.
const fn act_in_lane(act: Act) -> Option<lane_acts::Act> {
    match act {
        Act::Retry => Some(lane_acts::Act::Retry),
        Act::Skip => Some(lane_acts::Act::Skip),
        Act::Release => Some(lane_acts::Act::Release),
        Act::Reparse | Act::Resend | Act::Replay => None,
    }
}
