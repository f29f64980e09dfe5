//! Leases: who may deliver a lane, and until when (traps 20 and 25).

use std::time::Duration;

use dipmo_domain::{Lane, OutboxId, StoreError};
use dipmo_outbox::{Attempt, ChunkRef, Lease, Owner, UnitResult};
use dipmo_store::{LeaseParams, ReadParams, Store};

use crate::Fixture;
use crate::support::{
    Hand, LONG, aggregates, dispatched, failure, intent, kafka, take, write_intents,
};

fn params(owner: &str, lanes: u8, duration: Duration) -> LeaseParams {
    LeaseParams { owner: Owner(owner.to_owned()), destination: kafka("t"), lanes, duration }
}

/// One intent in each of so many lanes.
async fn in_lanes(store: &dyn Store, count: usize) -> Vec<OutboxId> {
    let names = aggregates(count);
    write_intents(store, names.iter().map(|name| intent(&kafka("t"), name, 1)).collect()).await
}

fn lanes(leases: &[Lease]) -> Vec<Lane> {
    let mut lanes: Vec<_> = leases.iter().map(|lease| lease.lane).collect();
    lanes.sort();
    lanes
}

/// Lanes with work are leased, others are not.
pub async fn lanes_with_work_are_leased<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    assert!(store.lease(&params("a", 64, LONG)).await.unwrap().is_empty());
    in_lanes(&*store, 5).await;
    let leases = store.lease(&params("a", 64, LONG)).await.unwrap();
    assert_eq!(lanes(&leases), Lane::all().take(5).collect::<Vec<_>>());
    assert!(leases.iter().all(|lease| lease.destination == kafka("t")));
}

/// Two owners never hold the same lane, and one does not get more than it asks for.
pub async fn a_lane_has_one_owner<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    in_lanes(&*store, 5).await;
    let first = store.lease(&params("a", 2, LONG)).await.unwrap();
    let second = another.lease(&params("b", 64, LONG)).await.unwrap();
    assert_eq!((first.len(), second.len()), (2, 3));
    assert_eq!(lanes(&[first, second].concat()), Lane::all().take(5).collect::<Vec<_>>());
    for owner in ["a", "b", "c"] {
        let more = store.lease(&params(owner, 64, LONG)).await.unwrap();
        assert!(more.is_empty(), "nothing is left for {owner}, not even what it has");
    }
}

/// A lease that has run out goes to the next one, under a greater epoch.
pub async fn a_lease_runs_out<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    in_lanes(&*store, 1).await;
    let first = store.lease(&params("a", 64, Duration::ZERO)).await.unwrap();
    fixture.tick().await;
    let second = another.lease(&params("b", 64, LONG)).await.unwrap();
    assert_eq!(second.len(), 1);
    assert!(second[0].epoch > first[0].epoch, "{second:?} after {first:?}");
}

/// A lease that is given back goes to the next one at once, under a greater epoch.
pub async fn a_lease_is_given_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    in_lanes(&*store, 1).await;
    let first = take(&*store, &kafka("t"), "a").await;
    another.give_back(&Owner("b".to_owned()), &first.leases).await.unwrap();
    assert!(another.lease(&params("b", 64, LONG)).await.unwrap().is_empty(), "not b's to give");
    first.give_back(&*store).await;
    let second = another.lease(&params("b", 64, LONG)).await.unwrap();
    assert!(second[0].epoch > first.leases[0].epoch);
    first.give_back(&*store).await;
    let third = store.lease(&params("c", 64, LONG)).await.unwrap();
    assert!(third.is_empty(), "an old lease gives nothing back");
}

/// Only the owner of a lease prolongs it, and only while it is its own.
pub async fn only_the_owner_renews<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    in_lanes(&*store, 2).await;
    let hand = Hand::leasing(&*store, &kafka("t"), "a", Duration::ZERO).await;
    let stranger = Owner("b".to_owned());
    assert_eq!(store.renew(&stranger, &hand.leases, LONG).await, Ok(vec![]));
    fixture.tick().await;
    let renewed = store.renew(&hand.owner, &hand.leases, LONG).await.unwrap();
    assert_eq!(lanes(&renewed), lanes(&hand.leases), "it ran out, but nobody took it");
    assert!(renewed.iter().all(|lease| hand.leases.contains(lease)), "under the same epoch");
    assert!(store.lease(&params("b", 64, LONG)).await.unwrap().is_empty(), "it is held again");
}

/// Of leases that were lost in part, the rest is renewed.
pub async fn what_was_lost_is_not_renewed<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    in_lanes(&*store, 3).await;
    let hand = Hand::leasing(&*store, &kafka("t"), "a", Duration::ZERO).await;
    fixture.tick().await;
    let taken = store.lease(&params("b", 1, LONG)).await.unwrap();
    assert_eq!(taken.len(), 1);
    let renewed = store.renew(&hand.owner, &hand.leases, LONG).await.unwrap();
    assert_eq!(renewed.len(), 2);
    assert!(!lanes(&renewed).contains(&taken[0].lane));
}

/// A late settler whose lease somebody else has writes nothing.
pub async fn trap_20_a_late_settler_is_fenced<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    in_lanes(&*store, 3).await;
    let late = Hand::leasing(&*store, &kafka("t"), "a", Duration::ZERO).await;
    fixture.tick().await;
    // Only one of its three lanes went to somebody else: still nothing is written.
    let params = params("b", 1, LONG);
    let leases = another.lease(&params).await.unwrap();
    let error = late.settle(&*store, |_| dispatched()).await.unwrap_err();
    assert!(matches!(error, StoreError::Fenced { .. }), "{error:?}");
    let in_flight = &[];
    let units = another.read(ReadParams { leases: &leases, in_flight, units: 10 }).await.unwrap();
    assert_eq!(units.len(), 1, "its unit is as it was");
    let now_owner = Hand { owner: params.owner, leases, units };
    now_owner.settle(&*another, |_| dispatched()).await.unwrap();
    let pending = store.outbox_rows(10).await.unwrap();
    let pending = pending.iter().filter(|row| row.attempts == 0).count();
    assert_eq!(pending, 2, "the other two were not settled either");
}

/// A late settler whose lease nobody took may settle: its work was not done by another.
pub async fn late_but_nobody_took_it<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    in_lanes(&*store, 2).await;
    let late = Hand::leasing(&*store, &kafka("t"), "a", Duration::ZERO).await;
    fixture.tick().await;
    assert_eq!(late.settle(&*store, |_| dispatched()).await.unwrap().units, 2);
}

/// The lease of one destination does not touch another one with the same lanes.
pub async fn trap_25_destinations_have_lanes_of_their_own<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let both = vec![intent(&kafka("t"), "F-1", 1), intent(&kafka("u"), "F-1", 2)];
    write_intents(&*store, both).await;
    let slow = take(&*store, &kafka("t"), "a").await;
    let quick = take(&*store, &kafka("u"), "b").await;
    assert_eq!((slow.units.len(), quick.units.len()), (1, 1));
    let retry = |_: &_| UnitResult::Retry { after: LONG, failure: failure("slow") };
    slow.settle(&*store, retry).await.unwrap();
    quick.settle(&*store, |_| dispatched()).await.unwrap();
    assert!(store.due_destinations().await.unwrap().is_empty());
}

/// A destination is due while it has something to deliver now.
pub async fn due_destinations_have_work<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    assert!(store.due_destinations().await.unwrap().is_empty());
    in_lanes(&*store, 2).await;
    assert_eq!(store.due_destinations().await.unwrap(), [kafka("t")]);
    let mut hand = take(&*store, &kafka("t"), "a").await;
    let retry = |after| UnitResult::Retry { after, failure: failure("busy") };
    hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
    assert_eq!(store.due_destinations().await.unwrap(), [kafka("t")], "due again");
    hand.reads_again(&*store).await;
    hand.settle(&*store, |_| retry(LONG)).await.unwrap();
    assert!(store.due_destinations().await.unwrap().is_empty(), "due in an hour");
}

/// Reading takes whole chunks up to a number of units, and passes over those in flight.
pub async fn reading_passes_over_what_is_in_flight<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = Vec::new();
    for number in 0..6 {
        ids.extend(write_intents(&*store, vec![intent(&kafka("t"), "F-1", number)]).await);
    }
    let leases = store.lease(&params("a", 64, LONG)).await.unwrap();
    let mut in_flight: Vec<ChunkRef> = Vec::new();
    for expected in ids.chunks(2) {
        let read = ReadParams { leases: &leases, in_flight: &in_flight, units: 2 };
        let units = store.read(read).await.unwrap();
        assert_eq!(units.iter().map(|unit| unit.unit).collect::<Vec<_>>(), expected);
        let chunk = |attempt: &Attempt| match attempt {
            Attempt::First(chunk) => *chunk,
            Attempt::Again { .. } => panic!("it was never tried"),
        };
        in_flight.extend(units.iter().map(|unit| chunk(&unit.attempt)));
    }
    let read = ReadParams { leases: &leases, in_flight: &in_flight, units: 2 };
    assert!(store.read(read).await.unwrap().is_empty());
    let read = ReadParams { leases: &leases, in_flight: &[], units: 2 };
    assert_eq!(store.read(read).await.unwrap().len(), 2, "reading changes nothing");
}

/// Without leases there is nothing to read.
pub async fn nothing_is_read_without_a_lease<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    in_lanes(&*store, 2).await;
    let read = ReadParams { leases: &[], in_flight: &[], units: 10 };
    assert_eq!(store.read(read).await, Ok(vec![]));
    let leases = store.lease(&params("a", 1, LONG)).await.unwrap();
    let read = ReadParams { leases: &leases, in_flight: &[], units: 10 };
    let units = store.read(read).await.unwrap();
    assert!(units.iter().all(|unit| unit.lane == leases[0].lane), "only leased lanes");
    assert_eq!(units.len(), 1);
}

/// Units that are due again keep to the number of units as well.
pub async fn due_units_keep_to_the_limit<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    in_lanes(&*store, 7).await;
    let hand = take(&*store, &kafka("t"), "a").await;
    let retry = |_: &_| UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") };
    hand.settle(&*store, retry).await.unwrap();
    let read = ReadParams { leases: &hand.leases, in_flight: &[], units: 3 };
    assert_eq!(store.read(read).await.unwrap().len(), 3);
}

/// Lanes that were left alone longest come first, so that none starves.
pub async fn no_lane_starves<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    in_lanes(&*store, 4).await;
    let mut turns = Vec::new();
    for _ in 0..8 {
        let leases = store.lease(&params("a", 1, LONG)).await.unwrap();
        fixture.tick().await;
        store.give_back(&Owner("a".to_owned()), &leases).await.unwrap();
        fixture.tick().await;
        turns.push(leases[0].lane);
    }
    for window in turns.windows(4) {
        let mut lanes = window.to_vec();
        lanes.sort();
        lanes.dedup();
        assert_eq!(lanes.len(), 4, "everybody had a turn: {turns:?}");
    }
}
