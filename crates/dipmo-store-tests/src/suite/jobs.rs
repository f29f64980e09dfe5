//! Beginning a job: what it takes, and what it leaves.

use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

use dipmo_domain::{Lane, OutboxId, StoreError};
use dipmo_outbox::{Delivery, JobPhase, UnitResult};
use dipmo_store::{BeginJob, JobChange, LeasedJob, ReadParams, Store};

use super::outbox_hold::retry;
use crate::Fixture;
use crate::support::{
    Hand, LONG, aggregate_in, aggregates, begin, dispatch_all, dispatched, ids_of, intent, kafka,
    take, write_intents,
};

/// So many intents, a chunk each, of keys of their own in one lane.
pub(super) async fn chunks_in_a_lane(store: &dyn Store, chunks: usize) -> Vec<OutboxId> {
    let lane = Lane::from_index(7).unwrap();
    let mut ids = Vec::new();
    for chunk in 0..chunks {
        let alone = intent(&kafka("t"), &aggregate_in(lane, chunk), 1);
        ids.extend(write_intents(store, vec![alone]).await);
    }
    ids
}

pub(super) fn is_fenced<T: Debug>(result: &Result<T, StoreError>) {
    assert!(matches!(result, Err(StoreError::Fenced { .. })), "{result:?}");
}

async fn begin_under(
    store: &dyn Store,
    hand: &Hand,
    least: u32,
    most: u32,
) -> Result<Option<LeasedJob>, StoreError> {
    store.begin_job(BeginJob { leases: &hand.leases, least, most }).await
}

async fn units_of(store: &dyn Store, begun: &LeasedJob) -> Vec<Delivery> {
    let mut units = store.job_units(begun.job.id, None, 1_000_000).await.unwrap().units;
    units.sort_by_key(|delivery| delivery.unit);
    units
}

/// A job takes what is due and what is ready, blocked units too, and nothing that waits.
pub async fn a_job_takes_what_would_be_read<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(4);
    let of = |name: &String, numbers: Range<i64>| {
        numbers.map(|number| intent(&kafka("t"), name, number)).collect::<Vec<_>>()
    };
    write_intents(&*store, names.iter().flat_map(|name| of(name, 0..2)).collect()).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let results = hand.in_order(|unit| match unit.aggregate_id {
        ref name if *name == names[0] => retry(Duration::ZERO),
        ref name if *name == names[1] => retry(LONG),
        _ => dispatched(),
    });
    hand.settle(&*store, |unit| results[&unit.unit].clone()).await.unwrap();
    hand.give_back(&*store).await;
    write_intents(&*store, names.iter().flat_map(|name| of(name, 2..4)).collect()).await;

    let before = store.now().await.unwrap();
    let hand = take(&*store, &kafka("t"), "o").await;
    let begun = begin_under(&*store, &hand, 1, 1_000).await.unwrap().unwrap();
    assert_eq!(units_of(&*store, &begun).await, hand.units, "as they were read");
    let blocked = hand.units.iter().filter(|unit| unit.blocked_by.is_some()).count();
    assert_eq!((hand.units.len(), blocked), (9, 4), "one is due, eight are ready");
    let job = begun.job;
    assert_eq!((job.destination, job.phase, job.remote), (kafka("t"), JobPhase::Sealed, None));
    assert_eq!((job.units, job.phase_at), (9, job.created_at));
    assert!(before <= job.created_at && job.created_at <= store.now().await.unwrap());
}

/// While more is due than a job takes, it takes no chunk: that might overtake.
pub async fn what_is_due_goes_first<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    chunks_in_a_lane(&*store, 3).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
    hand.give_back(&*store).await;
    let lane = Lane::from_index(7).unwrap();
    write_intents(&*store, vec![intent(&kafka("t"), &aggregate_in(lane, 9), 1)]).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    for most in [2, 3] {
        let read = ReadParams { leases: &hand.leases, in_flight: &[], units: most };
        let expected = store.read(read).await.unwrap();
        assert_eq!(expected.len(), if most == 2 { 2 } else { 4 });
        let begun = begin_under(&*store, &hand, 1, most).await.unwrap().unwrap();
        assert_eq!(units_of(&*store, &begun).await, expected);
        for change in [JobChange::Released { behind: None }, JobChange::Ended] {
            store.change_job(begun.job.id, &begun.leases, change).await.unwrap();
        }
    }
}

/// Chunks are taken in order until there are enough units; the last may go over.
pub async fn a_job_stops_at_its_size<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = Vec::new();
    for number in 0..4 {
        let two = [number * 2, number * 2 + 1].map(|number| intent(&kafka("t"), "F-1", number));
        ids.extend(write_intents(&*store, two.to_vec()).await);
    }
    let hand = take(&*store, &kafka("t"), "o").await;
    let begun = begin_under(&*store, &hand, 1, 3).await.unwrap().unwrap();
    assert_eq!(ids_of(&units_of(&*store, &begun).await), ids[..4]);
    assert_eq!(begun.job.units, 4);
}

/// Of too few units no job is made, and they are delivered as if nobody had asked.
pub async fn too_few_are_no_job<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = chunks_in_a_lane(&*store, 3).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    assert_eq!(begin_under(&*store, &hand, 4, 1_000).await, Ok(None));
    assert_eq!(store.jobs(10).await, Ok(vec![]));
    hand.reads_again(&*store).await;
    assert_eq!(ids_of(&hand.units), ids, "they are read as before");
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    assert_eq!(begin_under(&*store, &hand, 0, 1_000).await, Ok(None), "nothing is no job");

    hand.give_back(&*store).await;
    chunks_in_a_lane(&*store, 3).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    assert!(begin_under(&*store, &hand, 3, 1_000).await.unwrap().is_some(), "just enough");
}

/// Only lanes with units in the job belong to it; the other leases stay as they are.
pub async fn lanes_without_units_stay<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(3);
    let all = names.iter().map(|name| intent(&kafka("t"), name, 1));
    write_intents(&*store, all.collect()).await;
    let hand = take(&*store, &kafka("t"), "o").await;
    let (last, rest): (Vec<_>, Vec<_>) =
        hand.units.iter().cloned().partition(|unit| unit.aggregate_id == names[2]);
    Hand { units: last, ..hand.clone() }.settle(&*store, |_| dispatched()).await.unwrap();
    let begun = begin_under(&*store, &hand, 1, 1_000).await.unwrap().unwrap();
    assert_eq!(units_of(&*store, &begun).await, rest);
    assert_eq!(begun.leases.len(), 2);
    assert!(begun.leases.iter().all(|lease| hand.leases.contains(lease)), "as they were leased");

    let free: Vec<_> =
        hand.leases.iter().filter(|lease| !begun.leases.contains(lease)).cloned().collect();
    assert_eq!(store.renew(&hand.owner, &free, LONG).await, Ok(free.clone()));
    let new = write_intents(&*store, vec![intent(&kafka("t"), &names[2], 2)]).await;
    let read = ReadParams { leases: &free, in_flight: &[], units: 10 };
    assert_eq!(ids_of(&store.read(read).await.unwrap()), new);
    store.give_back(&hand.owner, &free).await.unwrap();
    assert_eq!(ids_of(&dispatch_all(&*store, &kafka("t")).await), new);
}

/// Under a lease that somebody else has, or in a lane that has a job, none is begun.
pub async fn a_lost_lane_begins_no_job<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let names = aggregates(2);
    let ids =
        write_intents(&*store, names.iter().map(|name| intent(&kafka("t"), name, 1)).collect())
            .await;
    let mut late = Hand::leasing(&*store, &kafka("t"), "a", Duration::ZERO).await;
    fixture.tick().await;
    let hand = take(&*store, &kafka("t"), "b").await;
    // One of the two is still good.
    late.leases[0] = hand.leases.iter().find(|l| l.lane == late.leases[0].lane).unwrap().clone();
    is_fenced(&begin_under(&*store, &late, 1, 1_000).await);
    assert_eq!(store.jobs(10).await, Ok(vec![]));
    hand.give_back(&*store).await;

    let job = begin(&*store, &kafka("t"), "b").await;
    assert_eq!(ids_of(&job.units(&*store).await), ids, "nothing was in the other's job");
    is_fenced(&begin_under(&*store, &job.hand(vec![]), 1, 1_000).await);
    is_fenced(
        &begin_under(&*store, &Hand { leases: job.leases[..1].to_vec(), ..hand }, 1, 9).await,
    );
    assert_eq!(store.jobs(10).await.unwrap().len(), 1);
    job.settle(&*store, |_| UnitResult::Later).await;
}
