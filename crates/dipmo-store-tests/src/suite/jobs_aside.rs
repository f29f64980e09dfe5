//! Units that were put off while earlier ones of their key stayed in the job, which is released then:
//! they go out in order, however few are read at a time.

use std::time::Duration;

use dipmo_domain::{Lane, OutboxId};
use dipmo_outbox::{Attempt, JobMark, UnitResult};
use dipmo_store::{BeginJob, JobChange, ReadParams, Store};

use super::outbox_hold::retry;
use crate::Fixture;
use crate::support::{
    JobHand, aggregate_in, begin, dispatched, failure, ids_of, intent, kafka, take, take_job,
    write_intents,
};

/// The key that is looked at; other lanes come before its own.
fn key() -> String {
    aggregate_in(Lane::all().nth(1).unwrap(), 0)
}

/// Intents of a busy first lane: more than is read at a time.
async fn busy(store: &dyn Store) {
    for number in 0..4 {
        let busy = aggregate_in(Lane::all().next().unwrap(), 0);
        write_intents(store, vec![intent(&kafka("t"), &busy, number)]).await;
    }
}

/// So many intents of the key, a chunk each.
async fn chunks(store: &dyn Store, count: i64) -> Vec<OutboxId> {
    let mut ids = Vec::new();
    for number in 0..count {
        ids.extend(write_intents(store, vec![intent(&kafka("t"), &key(), number)]).await);
    }
    ids
}

async fn settle_one(store: &dyn Store, job: &JobHand, id: OutboxId, result: UnitResult) {
    let one: Vec<_> = job.units(store).await.into_iter().filter(|unit| unit.unit == id).collect();
    assert_eq!(one.len(), 1, "{id} is in the job");
    job.hand(one).settle(store, |_| result.clone()).await.unwrap();
}

async fn release(store: &dyn Store, job: &JobHand, behind: Option<JobMark>) {
    job.change(store, JobChange::Released { behind }).await.unwrap();
}

/// Delivers everything, reading one unit at a time; answers those of the key, as they went out.
async fn sent_one_by_one(store: &dyn Store) -> Vec<OutboxId> {
    let mut hand = take(store, &kafka("t"), "o").await;
    hand.leases.sort_by_key(|lease| lease.lane);
    let mut sent = Vec::new();
    loop {
        let read = ReadParams { leases: &hand.leases, in_flight: &[], units: 1 };
        hand.units = store.read(read).await.unwrap();
        if hand.units.is_empty() {
            hand.give_back(store).await;
            return sent;
        }
        let results = hand.in_order(|_| dispatched());
        let goes = |unit: &OutboxId| results[unit] == dispatched();
        let of_key = hand.units.iter().filter(|unit| unit.aggregate_id == key());
        sent.extend(of_key.map(|unit| unit.unit).filter(goes));
        hand.settle(store, |unit| results[&unit.unit].clone()).await.unwrap();
    }
}

/// One stayed in the job, in its chunk or with a row of its own, the next was put off, and the last is
/// held behind that.
pub async fn what_was_put_off_goes_behind_who_stayed<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    for stays in [false, true] {
        busy(&*store).await;
        let ids = chunks(&*store, 3).await;
        let job = begin(&*store, &kafka("t"), "o").await;
        settle_one(&*store, &job, ids[1], UnitResult::Later).await;
        settle_one(&*store, &job, ids[2], UnitResult::Held).await;
        if stays {
            settle_one(&*store, &job, ids[0], UnitResult::InJob(job.id())).await;
        }
        release(&*store, &job, None).await;
        job.end(&*store).await;
        assert_eq!(sent_one_by_one(&*store).await, ids, "a row of its own: {stays}");
    }
}

/// One that had been tried, and that its key does not wait for, is still the first.
pub async fn what_was_put_off_does_not_block_who_was_tried<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let first = chunks(&*store, 1).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let refused = UnitResult::Failed { failure: failure("refused"), block: false };
    hand.settle(&*store, |_| refused.clone()).await.unwrap();
    hand.give_back(&*store).await;
    store.retry_units(&first, false).await.unwrap();
    busy(&*store).await;
    let ids = [first, chunks(&*store, 2).await].concat();
    let job = begin(&*store, &kafka("t"), "o").await;
    settle_one(&*store, &job, ids[1], UnitResult::Later).await;
    release(&*store, &job, None).await;
    job.end(&*store).await;

    let hand = take(&*store, &kafka("t"), "o").await;
    let tried = hand.units.iter().find(|unit| unit.unit == ids[0]).unwrap();
    assert_eq!(tried.attempt, Attempt::Again { attempts: 0, retried: 1 });
    assert!(hand.units.iter().all(|unit| unit.blocked_by.is_none()));
    hand.give_back(&*store).await;
    assert_eq!(sent_one_by_one(&*store).await, ids);
}

/// The next job, too, takes them in order when it has no room for both.
pub async fn a_small_job_takes_the_earlier_one<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    busy(&*store).await;
    let ids = chunks(&*store, 2).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    settle_one(&*store, &job, ids[1], UnitResult::Later).await;
    release(&*store, &job, None).await;
    job.end(&*store).await;
    let mut taken = Vec::new();
    loop {
        let mut hand = take(&*store, &kafka("t"), "o").await;
        hand.leases.sort_by_key(|lease| lease.lane);
        let small = BeginJob { leases: &hand.leases, least: 1, most: 1 };
        let begun = store.begin_job(small).await.unwrap();
        hand.give_back(&*store).await;
        let Some(begun) = begun else { break };
        let job = take_job(&*store, &kafka("t"), "o").await.unwrap();
        assert_eq!(job.id(), begun.job.id);
        taken.extend(ids_of(&job.units(&*store).await));
        job.deliver(&*store).await;
    }
    taken.retain(|unit| ids.contains(unit));
    assert_eq!(taken, ids);
}

/// Behind a mark both leave the job, or only the one that was put off: in its place it waits for one
/// that is retried after the job.
pub async fn behind_a_mark_it_goes_to_its_place<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    for stays in [0, 1] {
        busy(&*store).await;
        let ids = chunks(&*store, 4).await;
        let job = begin(&*store, &kafka("t"), "o").await;
        settle_one(&*store, &job, ids[2], UnitResult::Later).await;
        settle_one(&*store, &job, ids[3], UnitResult::Held).await;
        release(&*store, &job, Some(JobMark(ids[stays]))).await;
        for unit in &ids[..=stays] {
            let result = if *unit == ids[1] { retry(Duration::ZERO) } else { dispatched() };
            settle_one(&*store, &job, *unit, result).await;
        }
        job.settle(&*store, |_| dispatched()).await;
        job.end(&*store).await;
        assert_eq!(sent_one_by_one(&*store).await, ids[1..], "behind {stays}");
    }
}

/// Before a mark it keeps its place: a later one that is left in the job must not overtake it.
pub async fn before_a_mark_its_key_waits_for_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = chunks(&*store, 4).await;
    let job = begin(&*store, &kafka("t"), "o").await;
    settle_one(&*store, &job, ids[1], UnitResult::Later).await;
    release(&*store, &job, Some(JobMark(ids[2]))).await;
    let units = job.units(&*store).await;
    let blocked: Vec<_> = units.iter().map(|unit| (unit.unit, unit.blocked_by)).collect();
    assert_eq!(blocked, [(ids[0], None), (ids[2], Some(ids[1]))]);
    settle_one(&*store, &job, ids[2], UnitResult::Held).await;
    job.deliver(&*store).await;
    assert_eq!(sent_one_by_one(&*store).await, ids[1..]);
}
