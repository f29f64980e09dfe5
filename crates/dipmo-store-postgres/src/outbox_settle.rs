//! Settling units: under leases that are still ours, with the messages that belong to it.

use std::collections::{BTreeMap, HashMap, HashSet};

use dipmo_domain::{Failure, OutboxId, OutboxStatus, ProcessKey, RecordKey, StoreError};
use dipmo_inbox::Stored;
use dipmo_outbox::{Attempt, ChunkRef, Delivery, UnitResult, UnitSettlement};
use dipmo_store::{FailedUnit, IntentEnd, Settle, SettleReport};

use crate::blocks::Heads;
use crate::dispatch::columns;
use crate::exception::{ExceptionRow, Exceptions};
use crate::inbox;
use crate::rows;
use crate::session::Session;
use crate::sql::{self, Call, Which, params};
use crate::work::remains;

/// How many held units a settlement lets go in its own transaction.
const RELEASE_IN_SETTLE: i64 = 500;

pub(crate) async fn run(
    session: &mut Session,
    settle: Settle<'_>,
) -> Result<SettleReport, StoreError> {
    check_lanes(&settle)?;
    let (destinations, lanes, epochs) = columns(settle.leases);
    let mut calls = vec![
        sql::begin().call(),
        sql::lease_check().with(params![destinations.clone(), lanes.clone(), epochs]),
    ];
    let written = Written::of(settle.units);
    calls.extend(written.calls);
    if let Some(end) = written.ended.end(Which::Outbox) {
        calls.push(end);
        calls.push(sql::outbox_release().with(params![
            destinations.clone(),
            lanes.clone(),
            RELEASE_IN_SETTLE
        ]));
    }
    // Asked in any case: a settlement also goes on with what another one left.
    let lift = sql::block_lift(Which::Outbox).with(params![destinations, lanes]);

    let mut ends = written.ends;
    if !written.progress.is_empty() {
        let rows = count(session, std::mem::take(&mut calls), &written.progress).await?;
        ends.extend(many_ends(session, &rows, &written.reply_to).await?);
    }
    let mut messages = settle.messages.to_vec();
    messages.extend((settle.replies)(&ends));
    let mut stored = Vec::new();
    if !messages.is_empty() {
        let (answer, writes) = inbox::insert(session, calls, &messages).await?;
        stored = answer;
        calls = writes;
    }
    calls.push(lift);
    calls.push(sql::commit().call());
    let answers = session.run(calls).await?;
    Ok(SettleReport {
        units: settle.units.len(),
        messages: stored.iter().filter(|stored| matches!(stored, Stored::New(_))).count(),
        releasing: remains(&answers),
    })
}

fn check_lanes(settle: &Settle<'_>) -> Result<(), StoreError> {
    let leased: HashSet<_> =
        settle.leases.iter().map(|lease| (&lease.destination, lease.lane)).collect();
    let stray = settle
        .units
        .iter()
        .map(|unit| &unit.delivery)
        .find(|delivery| !leased.contains(&(&delivery.destination, delivery.lane)));
    match stray {
        None => Ok(()),
        Some(delivery) => Err(StoreError::Fenced {
            what: format!(
                "unit {}: {} of {} is not leased",
                delivery.unit, delivery.lane, delivery.destination
            ),
        }),
    }
}

/// What a settlement writes, sorted by statement.
#[derive(Default)]
struct Written {
    calls: Vec<Call>,
    /// Units that may have been heads and are not any more.
    ended: Heads,
    /// Intents of one unit that ended and want to be answered.
    ends: Vec<IntentEnd>,
    /// Of intents with records: how many were dispatched and failed.
    progress: BTreeMap<i64, (i32, i32)>,
    reply_to: HashMap<i64, ProcessKey>,
}

impl Written {
    fn of(units: &[UnitSettlement]) -> Self {
        let mut written = Self::default();
        let mut exceptions = Exceptions::default();
        let (mut heads, mut held) = (Heads::default(), Heads::default());
        let mut done: Vec<(i64, Option<String>)> = Vec::new();
        let mut chunks: BTreeMap<(String, i16, ChunkRef), i32> = BTreeMap::new();
        let mut again: Vec<i64> = Vec::new();
        for UnitSettlement { delivery, result } in units {
            let queue = delivery.destination.to_string();
            match delivery.attempt {
                Attempt::First(chunk) => {
                    let lane = i16::from(delivery.lane.index());
                    *chunks.entry((queue.clone(), lane, chunk)).or_default() += 1;
                }
                Attempt::Again { .. } => again.push(delivery.unit.0),
            }
            written.count(delivery, result);
            if let (UnitResult::Dispatched { external_ref }, Attempt::First(_)) =
                (result, delivery.attempt)
            {
                done.push((delivery.unit.0, external_ref.clone()));
                continue;
            }
            let collect = match result {
                UnitResult::Held => &mut held,
                result if blocks(result) => &mut heads,
                _ => &mut written.ended,
            };
            collect.push(&queue, &delivery.order_key, delivery.unit.0, delivery.lane);
            exceptions.push(exception(delivery, result, queue));
        }
        written.calls.extend(settle_chunks(&chunks));
        written.calls.extend((!again.is_empty()).then(|| sql::again_check().with(params![again])));
        written.calls.extend(exceptions.call(Which::Outbox));
        written.calls.extend(heads.set(Which::Outbox));
        written.calls.extend(held.check(Which::Outbox));
        written.calls.extend(end_units(done));
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
            });
        }
    }
}

/// Whether the order key of a unit waits for it from now on.
const fn blocks(result: &UnitResult) -> bool {
    matches!(
        result,
        UnitResult::Retry { .. } | UnitResult::Later | UnitResult::Failed { block: true, .. }
    )
}

fn exception(delivery: &Delivery, result: &UnitResult, queue: String) -> ExceptionRow {
    let attempts = match delivery.attempt {
        Attempt::First(_) => 0,
        Attempt::Again { attempts } => attempts,
    };
    let row = ExceptionRow {
        queue,
        order_key: Some(delivery.order_key.clone()),
        attempts,
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
            attempts: attempts + 1,
            ended: true,
            external_ref: external_ref.clone(),
            ..row
        },
        UnitResult::Retry { after, failure } => ExceptionRow {
            attempts: attempts + 1,
            due_in: Some(*after),
            failure: Some(failure.clone()),
            ..row
        },
        UnitResult::Held => ExceptionRow { held: true, ..row },
        UnitResult::Later => ExceptionRow { due_in: Some(std::time::Duration::ZERO), ..row },
        UnitResult::Failed { failure, .. } => ExceptionRow {
            status: OutboxStatus::Failed.as_str(),
            attempts: attempts + 1,
            failure: Some(failure.clone()),
            ..row
        },
    }
}

fn settle_chunks(chunks: &BTreeMap<(String, i16, ChunkRef), i32>) -> Option<Call> {
    if chunks.is_empty() {
        return None;
    }
    Some(sql::chunk_settle().with(params![
        chunks.keys().map(|(destination, _, _)| destination.clone()).collect::<Vec<_>>(),
        chunks.keys().map(|(_, lane, _)| *lane).collect::<Vec<_>>(),
        chunks.keys().map(|(_, _, chunk)| chunk.0.0).collect::<Vec<_>>(),
        chunks.values().copied().collect::<Vec<_>>(),
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

/// How far an intent with records is.
struct Progress {
    intent: i64,
    total: i32,
    dispatched: i32,
    failed: i32,
}

async fn count(
    session: &mut Session,
    mut calls: Vec<Call>,
    progress: &BTreeMap<i64, (i32, i32)>,
) -> Result<Vec<Progress>, StoreError> {
    calls.push(sql::progress_add().with(params![
        progress.keys().copied().collect::<Vec<_>>(),
        progress.values().map(|counts| counts.0).collect::<Vec<_>>(),
        progress.values().map(|counts| counts.1).collect::<Vec<_>>(),
    ]));
    let rows = session.run(calls).await?.pop().unwrap_or_default();
    let progress = |row: &tokio_postgres::Row| Progress {
        intent: row.get(0),
        total: row.get(1),
        dispatched: row.get(2),
        failed: row.get(3),
    };
    Ok(rows.iter().map(progress).collect())
}

/// The intents with records that ended with this settlement and want to be answered.
async fn many_ends(
    session: &mut Session,
    progress: &[Progress],
    reply_to: &HashMap<i64, ProcessKey>,
) -> Result<Vec<IntentEnd>, StoreError> {
    let ended =
        |p: &&Progress| p.dispatched + p.failed == p.total && reply_to.contains_key(&p.intent);
    let ended: Vec<&Progress> = progress.iter().filter(ended).collect();
    let finds = ended.iter().map(|p| sql::intent_failures().with(params![p.intent])).collect();
    let failures = session.run(finds).await?;
    let failed_unit = |row: &tokio_postgres::Row| FailedUnit {
        record: Some(RecordKey(row.get(0))),
        failure: rows::failure(row, 1).unwrap_or_else(|| Failure::new("", "")),
    };
    Ok(ended
        .into_iter()
        .zip(failures)
        .map(|(p, failures)| IntentEnd {
            intent: OutboxId(p.intent),
            reply_to: reply_to[&p.intent].clone(),
            dispatched: u64::try_from(p.dispatched).unwrap_or(0),
            failed: u64::try_from(p.failed).unwrap_or(0),
            failures: failures.iter().map(failed_unit).collect(),
        })
        .collect())
}
