//! Units of a job are settled like any others: whole chunks, or those that stay get rows.

use std::time::Duration;

use dipmo_domain::{Lane, OutboxStatus};
use dipmo_outbox::{Attempt, Delivery, JobId, OutboxRow, UnitResult};
use dipmo_store::Store;

use super::jobs::{chunks_in_a_lane, is_fenced};
use super::outbox_hold::retry;
use crate::Fixture;
use crate::support::{
    JobHand, LONG, aggregate_in, begin, dispatch_all, dispatched, failure, ids_of, intent, kafka,
    take, write_intents,
};

/// So many units of keys of their own that are one chunk.
async fn one_chunk(store: &dyn Store, units: usize) -> JobHand {
    let lane = Lane::from_index(7).unwrap();
    let name = |place| aggregate_in(lane, place);
    let intents = (0..units).map(|place| intent(&kafka("t"), &name(place), 1)).collect();
    write_intents(store, intents).await;
    begin(store, &kafka("t"), "o").await
}

async fn row(store: &dyn Store, unit: &Delivery) -> OutboxRow {
    let rows = store.outbox_rows(100).await.unwrap();
    rows.into_iter().find(|row| row.id == unit.unit).unwrap()
}

/// Everything of a job is settled at once, or a chunk at a time, but no part of a chunk.
pub async fn chunks_are_settled_whole<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let job = one_chunk(&*store, 3).await;
    let units = job.units(&*store).await;
    is_fenced(&job.hand(units[..2].to_vec()).settle(&*store, |_| dispatched()).await);
    assert_eq!(job.units(&*store).await, units, "nothing was written");
    job.deliver(&*store).await;
    let rows = store.outbox_rows(10).await.unwrap();
    let ended = (OutboxStatus::Dispatched, 1);
    assert!(rows.iter().all(|row| (row.status, row.attempts) == ended), "at the first attempt");
}

/// Some units of a chunk leave the job, the others stay in it, not tried and not due.
pub async fn the_rest_of_a_chunk_stays<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let job = one_chunk(&*store, 4).await;
    let units = job.units(&*store).await;
    let stays = |unit: &Delivery| unit.unit == units[1].unit || unit.unit == units[3].unit;
    let result = |unit: &Delivery| match stays(unit) {
        true => UnitResult::InJob(job.id()),
        false => dispatched(),
    };
    job.hand(units.clone()).settle(&*store, result).await.unwrap();
    let left = job.units(&*store).await;
    assert_eq!(ids_of(&left), [units[1].unit, units[3].unit]);
    for unit in &left {
        assert_eq!(unit.attempt, Attempt::Again { attempts: 0, retried: 0 });
        assert_eq!(unit.blocked_by, None);
        let row = row(&*store, unit).await;
        assert_eq!((row.status, row.attempts), (OutboxStatus::Pending, 0));
        assert_eq!((row.next_attempt_at, row.held_behind, row.failure), (None, None, None));
    }
    is_fenced(&job.hand(units).settle(&*store, |_| dispatched()).await);
    job.deliver(&*store).await;
    assert!(dispatch_all(&*store, &kafka("t")).await.is_empty(), "nothing is sent twice");
}

/// A unit that stayed is settled in every way, again and again.
pub async fn what_stayed_is_settled_in_every_way<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let job = one_chunk(&*store, 7).await;
    job.settle(&*store, |_| UnitResult::InJob(job.id())).await;
    let units = job.units(&*store).await;
    let failed = |block| UnitResult::Failed { failure: failure("refused"), block };
    let sent = UnitResult::Dispatched { external_ref: Some("003xx".to_owned()) };
    let (held, stays) = (UnitResult::Held, UnitResult::InJob(job.id()));
    let results = [sent, retry(LONG), UnitResult::Later, failed(true), failed(false), held, stays];
    let result = |unit: &Delivery| {
        let place = units.iter().position(|other| other.unit == unit.unit).unwrap();
        results[place].clone()
    };
    let report = job.hand(units.clone()).settle(&*store, result).await.unwrap();
    assert_eq!(report.units, 7);
    assert_eq!(ids_of(&job.units(&*store).await), [units[6].unit], "the others have left");
    let mut shown = Vec::new();
    for unit in &units {
        let row = row(&*store, unit).await;
        shown.push((row.status, row.attempts, row.next_attempt_at.is_some()));
    }
    let (pending, ended) = (OutboxStatus::Pending, OutboxStatus::Failed);
    let expected = [
        (OutboxStatus::Dispatched, 1, false),
        (pending, 1, true),
        (pending, 0, true),
        (ended, 1, false),
        (ended, 1, false),
        // Held behind nothing it is due, as one that was put off.
        (pending, 0, true),
        (pending, 0, false),
    ];
    assert_eq!(shown, expected);
    job.deliver(&*store).await;
    let sent = ids_of(&dispatch_all(&*store, &kafka("t")).await);
    assert_eq!(sent, [units[2].unit, units[5].unit], "what was put off");
}

/// A retry is not in the job any more: it is due in its time, once the lane is free.
pub async fn a_retry_leaves_the_job<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = chunks_in_a_lane(&*store, 3).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let result = |unit: &Delivery| match unit.unit {
        unit if unit == ids[0] => retry(Duration::ZERO),
        unit if unit == ids[1] => retry(LONG),
        _ => UnitResult::InJob(job.id()),
    };
    job.settle(&*store, result).await;
    assert_eq!(ids_of(&job.units(&*store).await), ids[2..]);
    assert_eq!(store.due_destinations().await, Ok(vec![]), "due, but behind the job");
    job.deliver(&*store).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(ids_of(&hand.units), ids[..1], "the other one is not due");
    assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 1, retried: 0 });
}

/// Attempts of earlier times count on, and staying in a job is no attempt.
pub async fn attempts_count_on<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    chunks_in_a_lane(&*store, 1).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    for _ in 0..2 {
        hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
        hand.reads_again(&*store).await;
    }
    hand.give_back(&*store).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    for _ in 0..2 {
        let units = job.units(&*store).await;
        assert_eq!(units[0].attempt, Attempt::Again { attempts: 2, retried: 0 });
        assert_eq!(units[0].blocked_by, None, "it heads its key");
        job.settle(&*store, |_| UnitResult::InJob(job.id())).await;
    }
    job.settle(&*store, |_| retry(Duration::ZERO)).await;
    job.end(&*store).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 3, retried: 0 });
}

/// Nothing is put into a job by saying that it stays there.
pub async fn only_what_is_in_a_job_stays_in_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = chunks_in_a_lane(&*store, 2).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    is_fenced(&hand.settle(&*store, |_| UnitResult::InJob(JobId(1))).await);
    hand.settle(&*store, |_| UnitResult::Later).await.unwrap();
    hand.reads_again(&*store).await;
    is_fenced(&hand.settle(&*store, |_| UnitResult::InJob(JobId(1))).await);
    hand.give_back(&*store).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    let units = job.units(&*store).await;
    let another = UnitResult::InJob(JobId(job.id().0 + 1));
    is_fenced(&job.hand(units.clone()).settle(&*store, |_| another.clone()).await);
    assert_eq!(job.units(&*store).await, units, "nothing was written");
    assert_eq!(ids_of(&units), ids);
}
