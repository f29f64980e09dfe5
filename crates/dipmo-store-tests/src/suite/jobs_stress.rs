//! Stress with jobs: dispatchers that begin, take, leave and end jobs beside others that do not;
//! each record sees its units in order, and none is delivered twice.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{OrderKey, StoreError};
use dipmo_outbox::{Delivery, Owner, UnitResult};
use dipmo_store::{BeginJob, JobChange, LeaseParams, ReadParams, Replies, Store};

use super::stress_outbox::{delivered, each_once_in_order};
use crate::Fixture;
use crate::support::{
    Chance, Hand, JobHand, LONG, dispatched, failure, intent, is_full, kafka, seeds, take,
    take_job, write_intents,
};

/// Four dispatchers, half of whose work is in jobs, whose leases run out, are lost and given back at
/// random.
pub async fn trap_23_order_holds_around_jobs<F: Fixture>() {
    let (keys, numbers) = if is_full() { (150, 10) } else { (40, 8) };
    for seed in seeds() {
        let fixture = Arc::new(F::fresh().await);
        let store = fixture.store();
        let write = |numbers: Range<i64>| {
            let of = move |number| {
                (0..keys).map(move |key| intent(&kafka("t"), &format!("K-{key}"), number))
            };
            numbers.flat_map(of).collect::<Vec<_>>()
        };
        write_intents(&*store, write(0..2)).await;
        let dispatchers: Vec<_> = (0..4)
            .map(|place: u64| {
                let chance = Chance::new(seed * 1_000 + place);
                tokio::spawn(dispatcher(Arc::clone(&fixture), format!("d-{place}"), chance))
            })
            .collect();
        for number in 2..numbers {
            write_intents(&*store, write(number..number + 1)).await;
        }
        for task in dispatchers {
            task.await.unwrap();
        }
        fixture.tick().await;
        deliver_the_rest(&*store).await;
        each_once_in_order(&*store, seed).await;
    }
}

async fn dispatcher<F: Fixture>(fixture: Arc<F>, name: String, mut chance: Chance) {
    let store = fixture.another().await;
    let mut idle = 0;
    while idle < 30 {
        let owner = Owner(name.clone());
        let duration = if chance.percent(30) { Duration::ZERO } else { LONG };
        let job = if chance.percent(50) {
            let taken = store.take_job(&kafka("t"), &owner, duration).await.unwrap();
            taken.map(|taken| JobHand::of(taken, &name))
        } else {
            None
        };
        let busy = match job {
            Some(job) => {
                fixture.tick().await;
                // Whoever lost it leaves it to the other one.
                let _ = run_job(&*store, &job, &mut chance).await;
                job.give_back(&*store).await;
                true
            }
            None => lease(&*fixture, &*store, owner, duration, &mut chance).await,
        };
        idle = if busy { 0 } else { idle + 1 };
        if chance.percent(20) {
            store.release_units(20).await.unwrap();
        }
        tokio::task::yield_now().await;
    }
}

/// Leases lanes, and begins a job or delivers a slice; false when there is nothing to do.
async fn lease<F: Fixture>(
    fixture: &F,
    store: &dyn Store,
    owner: Owner,
    duration: Duration,
    chance: &mut Chance,
) -> bool {
    let lanes = u8::try_from(1 + chance.below(20)).unwrap();
    let params = LeaseParams { owner, destination: kafka("t"), lanes, duration };
    let leases = store.lease(&params).await.unwrap();
    fixture.tick().await;
    let mut hand = Hand { owner: params.owner, leases, units: Vec::new() };
    let busy = !hand.leases.is_empty();
    let size = u32::try_from(1 + chance.below(30)).unwrap();
    if chance.percent(60) {
        let begin = BeginJob { leases: &hand.leases, least: 2, most: size };
        if let Ok(Some(begun)) = store.begin_job(begin).await {
            let job = JobHand::of(begun, &hand.owner.0);
            let _ = run_job(store, &job, chance).await;
        }
    } else {
        let read = ReadParams { leases: &hand.leases, in_flight: &[], units: size };
        hand.units = store.read(read).await.unwrap();
        let results = hand.in_order(|_| result(chance));
        let _ = settle(store, &hand, |unit| results[&unit.unit].clone()).await;
    }
    hand.give_back(store).await;
    busy
}

/// Goes on with a job until it ends, or leaves it anywhere.
async fn run_job(store: &dyn Store, job: &JobHand, chance: &mut Chance) -> Result<(), StoreError> {
    for may_stay in [true, false] {
        // Nothing of a key goes out behind a unit of it that stays.
        let mut stays: HashSet<OrderKey> = HashSet::new();
        let mut mark = None;
        loop {
            let limit = u32::try_from(1 + chance.below(15)).unwrap();
            let page = store.job_units(job.id(), mark, limit).await?;
            let hand = job.hand(page.units);
            let results = hand.in_order(|unit| {
                if stays.contains(&unit.order_key) || (may_stay && chance.percent(20)) {
                    stays.insert(unit.order_key.clone());
                    return UnitResult::InJob(job.id());
                }
                result(chance)
            });
            settle(store, &hand, |unit| results[&unit.unit].clone()).await?;
            mark = page.next;
            if chance.percent(5) {
                return Ok(());
            }
            if chance.percent(5) {
                job.change(store, JobChange::Released { behind: mark }).await?;
            }
            if mark.is_none() {
                break;
            }
        }
    }
    job.change(store, JobChange::Ended).await?;
    Ok(())
}

fn result(chance: &mut Chance) -> UnitResult {
    match chance.below(20) {
        0 => UnitResult::Later,
        1 => UnitResult::Failed { failure: failure("refused"), block: false },
        2 | 3 => UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") },
        _ => dispatched(),
    }
}

async fn settle(
    store: &dyn Store,
    hand: &Hand,
    result: impl Fn(&Delivery) -> UnitResult,
) -> Result<(), StoreError> {
    let is_sent = |unit: &&Delivery| matches!(result(unit), UnitResult::Dispatched { .. });
    let messages: Vec<_> = hand.units.iter().filter(is_sent).map(delivered).collect();
    let nobody: Replies = Box::new(|_| Vec::new());
    hand.settle_with(store, &result, &messages, nobody).await.map(drop)
}

async fn deliver_the_rest(store: &dyn Store) {
    loop {
        let mut count = store.release_units(1_000).await.unwrap();
        while let Some(job) = take_job(store, &kafka("t"), "rest").await {
            let hand = job.hand(job.units(store).await);
            let results = hand.in_order(|_| dispatched());
            settle(store, &hand, |unit| results[&unit.unit].clone()).await.unwrap();
            job.end(store).await;
            count += 1;
        }
        let hand = take(store, &kafka("t"), "rest").await;
        let results = hand.in_order(|_| dispatched());
        settle(store, &hand, |unit| results[&unit.unit].clone()).await.unwrap();
        hand.give_back(store).await;
        if hand.units.is_empty() && count == 0 {
            break;
        }
    }
}
