//! What a settlement writes for its units.

use std::collections::{BTreeMap, HashMap};

use dipmo_domain::{Destination, Lane, OutboxStatus, ProcessKey};
use dipmo_outbox::{Attempt, ChunkRef, Delivery, UnitResult, UnitSettlement};
use dipmo_store::{FailedUnit, IntentEnd};

use crate::blocks::Heads;
use crate::exception::{ExceptionRow, Exceptions};
use crate::failure_groups::Groups;
use crate::sql::{self, Call, Which, params};

/// What a settlement writes, sorted by statement.
#[derive(Default)]
pub(crate) struct UnitWrites {
    pub(crate) calls: Vec<Call>,
    /// Units that may have been heads and are not any more.
    pub(crate) ended: Heads,
    /// Intents of one unit that ended and want to be answered.
    pub(crate) ends: Vec<IntentEnd>,
    /// Of intents with records: how many were dispatched and failed.
    pub(crate) progress: BTreeMap<i64, (i32, i32)>,
    /// Who wants to hear of them.
    pub(crate) reply_to: HashMap<i64, ProcessKey>,
    /// The groups of what failed, written last.
    pub(crate) groups: Groups,
}

impl UnitWrites {
    pub(crate) fn of(units: &[UnitSettlement]) -> Self {
        let mut written = Self::default();
        let mut exceptions = Exceptions::of(Which::Outbox);
        let (mut heads, mut held, mut went_on) = Default::default();
        let mut done: Vec<(i64, Option<String>)> = Vec::new();
        let mut chunks = Chunks::new();
        let mut again: Vec<(i64, i32)> = Vec::new();
        for UnitSettlement { delivery, result } in units {
            match delivery.attempt {
                Attempt::First(chunk) => {
                    let key = (&delivery.destination, delivery.lane, chunk);
                    chunks.entry(key).or_default().push(delivery.unit.0);
                }
                Attempt::Again { retried, .. } => {
                    again.push((delivery.unit.0, i32::try_from(retried).unwrap_or(i32::MAX)));
                }
            }
            written.count(delivery, result);
            if matches!(result, UnitResult::Dispatched { .. }) {
                let queue = delivery.destination.to_string();
                Heads::push(
                    &mut went_on,
                    &queue,
                    &delivery.order_key,
                    delivery.unit.0,
                    delivery.lane,
                );
            }
            if let (UnitResult::Dispatched { external_ref }, Attempt::First(_)) =
                (result, delivery.attempt)
            {
                done.push((delivery.unit.0, external_ref.clone()));
                continue;
            }
            let queue = delivery.destination.to_string();
            let collect = match result {
                UnitResult::Held => Some(&mut held),
                UnitResult::InJob(_) => None,
                result if blocks(result) => Some(&mut heads),
                _ => Some(&mut written.ended),
            };
            if let Some(collect) = collect {
                collect.push(&queue, &delivery.order_key, delivery.unit.0, delivery.lane);
            }
            exceptions.push(exception(delivery, result, queue));
        }
        written.calls.extend(stay(units));
        written.calls.extend(settle_chunks(chunks));
        written.calls.extend(check_again(again));
        let (put, groups) = exceptions.call();
        written.groups = groups;
        written.calls.extend(put);
        written.calls.extend(heads.set(Which::Outbox));
        written.calls.extend(held.adopt(sql::unit_adopt()));
        written.calls.extend(end_units(done));
        written.calls.extend(went_on.overtake());
        written
    }

    /// Counts units that ended.
    fn count(&mut self, delivery: &Delivery, result: &UnitResult) {
        let failure = match result {
            UnitResult::Dispatched { .. } => None,
            UnitResult::Failed { failure, .. } => Some(failure),
            _ => return,
        };
        let (dispatched, failed) = if failure.is_some() { (0, 1) } else { (1, 0) };
        if delivery.record.is_some() {
            let counts = self.progress.entry(delivery.intent.0).or_default();
            *counts = (counts.0 + dispatched, counts.1 + failed);
            if let Some(key) = &delivery.reply_to {
                self.reply_to.insert(delivery.intent.0, key.clone());
            }
        } else if let Some(reply_to) = &delivery.reply_to {
            self.ends.push(IntentEnd {
                intent: delivery.intent,
                reply_to: reply_to.clone(),
                dispatched: u64::from(failure.is_none()),
                failed: u64::from(failure.is_some()),
                failures: failure
                    .map(|failure| FailedUnit { record: None, failure: failure.clone() })
                    .into_iter()
                    .collect(),
                retried: retried(delivery.attempt),
            });
        }
    }
}

/// Whether the order key of a unit waits for it from now on.
const fn blocks(result: &UnitResult) -> bool {
    matches!(
        result,
        UnitResult::Retry { .. }
            | UnitResult::Unanswered { .. }
            | UnitResult::Later
            | UnitResult::Failed { block: true, .. }
    )
}

fn exception(delivery: &Delivery, result: &UnitResult, queue: String) -> ExceptionRow {
    let row = ExceptionRow {
        queue,
        order_key: Some(delivery.order_key.clone()),
        ..ExceptionRow::new(
            delivery.unit.0,
            Some(delivery.created_at),
            delivery.lane,
            OutboxStatus::Pending.as_str(),
        )
    };
    match result {
        UnitResult::Dispatched { external_ref } => ExceptionRow {
            status: OutboxStatus::Dispatched.as_str(),
            tried: true,
            ended: true,
            external_ref: external_ref.clone(),
            ..row
        },
        UnitResult::Retry { after, failure } => ExceptionRow {
            tried: true,
            due_in: Some(*after),
            failure: Some(failure.clone()),
            ..row
        },
        UnitResult::Unanswered { after, failure } => {
            ExceptionRow { due_in: Some(*after), failure: Some(failure.clone()), ..row }
        }
        UnitResult::Held => ExceptionRow { held: true, ..row },
        UnitResult::Later => ExceptionRow { due_in: Some(std::time::Duration::ZERO), ..row },
        UnitResult::InJob(job) => ExceptionRow { job: Some(*job), ..row },
        UnitResult::Failed { failure, .. } => ExceptionRow {
            status: OutboxStatus::Failed.as_str(),
            tried: true,
            failure: Some(failure.clone()),
            ..row
        },
    }
}

/// How often an operator retried a unit.
const fn retried(attempt: Attempt) -> u32 {
    match attempt {
        Attempt::First(_) => 0,
        Attempt::Again { retried, .. } => retried,
    }
}

fn check_again(again: Vec<(i64, i32)>) -> Option<Call> {
    let (ids, retried): (Vec<i64>, Vec<i32>) = again.into_iter().unzip();
    (!ids.is_empty()).then(|| sql::again_check().with(params![ids, retried]))
}

/// Checks that what is to stay in a job is in it: else it would be in none that holds its lane.
fn stay(units: &[UnitSettlement]) -> Option<Call> {
    let mut parts = BTreeMap::new();
    for UnitSettlement { delivery, result } in units {
        let UnitResult::InJob(job) = result else { continue };
        let (id, is_chunk) = match delivery.attempt {
            Attempt::First(chunk) => (chunk.0.0, true),
            Attempt::Again { .. } => (delivery.unit.0, false),
        };
        parts.insert((id, is_chunk, job.0), (&delivery.destination, delivery.lane));
    }
    (!parts.is_empty()).then(|| {
        sql::job_stay().with(params![
            parts.values().map(|(destination, _)| destination.to_string()).collect::<Vec<_>>(),
            parts.values().map(|(_, lane)| i16::from(lane.index())).collect::<Vec<_>>(),
            parts.keys().map(|(id, ..)| *id).collect::<Vec<_>>(),
            parts.keys().map(|(_, is_chunk, _)| *is_chunk).collect::<Vec<_>>(),
            parts.keys().map(|(.., job)| *job).collect::<Vec<_>>(),
        ])
    })
}

/// The units of each chunk that is touched.
type Chunks<'a> = HashMap<(&'a Destination, Lane, ChunkRef), Vec<i64>>;

fn settle_chunks(mut chunks: Chunks<'_>) -> Option<Call> {
    if chunks.is_empty() {
        return None;
    }
    chunks.values_mut().for_each(|units| units.sort_unstable());
    let count = |units: &Vec<i64>| i32::try_from(units.len()).unwrap_or(i32::MAX);
    Some(sql::chunk_settle().with(params![
        chunks.keys().map(|(destination, _, _)| destination.to_string()).collect::<Vec<_>>(),
        chunks.keys().map(|(_, lane, _)| i16::from(lane.index())).collect::<Vec<_>>(),
        chunks.keys().map(|(_, _, chunk)| chunk.0.0).collect::<Vec<_>>(),
        chunks.values().flatten().copied().collect::<Vec<_>>(),
        chunks.values().map(count).collect::<Vec<_>>(),
    ]))
}

fn end_units(done: Vec<(i64, Option<String>)>) -> Option<Call> {
    if done.is_empty() {
        return None;
    }
    let (ids, refs): (Vec<i64>, Vec<Option<String>>) = done.into_iter().unzip();
    let refs = refs.iter().any(Option::is_some).then_some(refs);
    Some(sql::done_insert(Which::Outbox).with(params!["DISPATCHED", ids, refs]))
}
