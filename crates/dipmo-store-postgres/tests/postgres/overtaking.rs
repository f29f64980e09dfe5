//! What once let a message overtake another, get stuck or get lost, found by looking for it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use dipmo_domain::{Coded as _, InboxStatus, Lane};
use dipmo_outbox::{Delivery, UnitResult, UnitSettlement};
use dipmo_store::{
    Changes, ClaimLimits, Inspect as _, LeaseParams, ReadParams, Settle, SettlementKind,
    StateWrite, Store as _,
};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::support::{
    Orderly, Script, aggregate_in, batch, dispatched, done, event, failure, intent, kafka, marker,
    new_state, polled_at_most, retry, stored, take, write_intents,
};
use dipmo_store_tests::{Fixture as _, suite_tables};

use crate::support::fixture::Postgres;

fn of_lane(lane: i64) -> String {
    aggregate_in(Lane::from_index(lane).unwrap(), 0)
}

fn limits() -> ClaimLimits {
    ClaimLimits { messages: 500, lanes: 64, start: Lane::from_index(0).unwrap() }
}

/// A message that was let go fails again while later ones of its key, let go as well, are ready.
#[tokio::test]
async fn a_released_chunk_reaches_over_no_other() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let (key, earlier_lane) = (of_lane(1), of_lane(0));
    stored(&*store, &(1..=1_000).map(|n| event(&key, n)).collect::<Vec<_>>()).await;
    let fails = Arc::new(Mutex::new(vec![1]));
    let ended: Arc<Mutex<Vec<i64>>> = Arc::default();
    let logic = || {
        let (fails, ended, key) = (Arc::clone(&fails), Arc::clone(&ended), key.clone());
        Orderly::new(move |claimed| {
            let number = claimed.message.offset;
            if claimed.message.aggregate_id.as_ref() != Some(&key) {
                return done();
            }
            let mut fails = fails.lock().unwrap();
            if let Some(at) = fails.iter().position(|fail| *fail == number) {
                fails.remove(at);
                return retry(Duration::ZERO);
            }
            ended.lock().unwrap().push(number);
            done()
        })
    };
    logic().run(&*store, limits()).await.unwrap();
    logic().run(&*store, limits()).await.unwrap();
    assert_eq!(store.release(100).await.unwrap(), 100);
    fails.lock().unwrap().push(2);
    logic().run(&*store, limits()).await.unwrap();
    stored(&*store, &(1..=500).map(|n| event(&earlier_lane, n)).collect::<Vec<_>>()).await;
    while ended.lock().unwrap().len() < 1_000 {
        logic().run(&*store, limits()).await.unwrap();
        store.release(500).await.unwrap();
    }
    assert_eq!(*ended.lock().unwrap(), (1..=1_000).collect::<Vec<_>>());
}

/// The same at the outbox.
#[tokio::test]
async fn a_released_chunk_of_units_reaches_over_no_other() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let (kafka, key, earlier_lane) = (kafka("t"), of_lane(1), of_lane(0));
    let ids = write_intents(&*store, (1..=1_000).map(|n| intent(&kafka, &key, n)).collect()).await;
    let (mut sent, mut fails) = (Vec::new(), vec![ids[0]]);
    let mut hand = take(&*store, &kafka, "o").await;
    for turn in 0..40 {
        match turn {
            2 => {
                assert_eq!(store.release_units(100).await.unwrap(), 100);
                fails.push(ids[1]);
            }
            3 => {
                write_intents(
                    &*store,
                    (1..=500).map(|n| intent(&kafka, &earlier_lane, n)).collect(),
                )
                .await;
                let owner = hand.owner.clone();
                let duration = Duration::from_secs(600);
                let params = LeaseParams { owner, destination: kafka.clone(), lanes: 64, duration };
                hand.leases.splice(0..0, store.lease(&params).await.unwrap());
            }
            5.. => drop(store.release_units(500).await.unwrap()),
            _ => {}
        }
        let params = ReadParams { leases: &hand.leases, in_flight: &[], units: 500 };
        hand.units = store.read(params).await.unwrap();
        let results = hand.in_order(|unit: &Delivery| {
            if let Some(at) = fails.iter().position(|fail| *fail == unit.unit) {
                fails.remove(at);
                return UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") };
            }
            sent.extend((unit.aggregate_id == key).then_some(unit.unit));
            dispatched()
        });
        hand.settle(&*store, |unit| results[&unit.unit].clone()).await.unwrap();
    }
    assert_eq!(sent, ids);
}

/// Two units of one key fail in one bulk job: the earlier one goes first.
#[tokio::test]
async fn of_two_that_fail_together_the_earlier_one_is_the_head() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let kafka = kafka("t");
    let ids = write_intents(&*store, vec![intent(&kafka, "A", 1), intent(&kafka, "A", 2)]).await;
    let mut hand = take(&*store, &kafka, "o").await;
    let again =
        |_: &Delivery| UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") };
    hand.settle(&*store, again).await.unwrap();
    hand.reads_again(&*store).await;
    let blocked: Vec<_> = hand.units.iter().map(|unit| (unit.unit, unit.blocked_by)).collect();
    assert_eq!(blocked, [(ids[0], None), (ids[1], Some(ids[0]))]);
}

#[tokio::test]
async fn one_unit_given_twice_does_not_stand_for_another() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let kafka = kafka("t");
    write_intents(&*store, vec![intent(&kafka, "A", 1), intent(&kafka, "A", 2)]).await;
    let hand = take(&*store, &kafka, "o").await;
    let unit = UnitSettlement { delivery: hand.units[0].clone(), result: dispatched() };
    let twice = [unit.clone(), unit];
    let settle = Settle {
        leases: &hand.leases,
        units: &twice,
        messages: &[],
        replies: Box::new(|_| Vec::new()),
    };
    assert_eq!(store.settle(settle).await.unwrap_err().code().as_str(), "store-fenced");
}

/// 0 means that nothing more is held; a lane that somebody works on does not hide another.
#[tokio::test]
async fn release_goes_on_beside_a_lane_that_is_held() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    for lane in [0, 1] {
        let key = of_lane(lane);
        stored(&*store, &(0..601).map(|n| event(&key, n)).collect::<Vec<_>>()).await;
    }
    let first_fails = |claimed: &dipmo_store::ClaimedMessage| match claimed.message.offset {
        0 => retry(Duration::ZERO),
        _ => SettlementKind::Held,
    };
    batch(&*store, Script::settling(first_fails)).await.unwrap();
    assert!(batch(&*store, Script::process_all()).await.unwrap().report.releasing);
    let worker = fixture.client().await;
    worker.batch_execute("begin; select from inbox_lane where lane = 0 for update").await.unwrap();
    let beside = store.release(10_000).await.unwrap();
    assert!(beside > 0, "the free lane was let go");
    worker.batch_execute("rollback").await.unwrap();
    let mut let_go = beside;
    while let more @ 1.. = store.release(10_000).await.unwrap() {
        let_go += more;
    }
    assert_eq!(let_go, 700, "1,200 were held and 500 went with the heads");
}

/// A chunk is never taken without its messages.
#[tokio::test]
async fn a_message_that_is_not_found_is_not_taken_for_processed() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("A", 1), event("A", 2)]).await;
    let client = fixture.client().await;
    client
        .batch_execute(
            "alter table inbox_log rename to hidden; create table inbox_log (like hidden)",
        )
        .await
        .unwrap();
    let error = batch(&*store, Script::process_all()).await.err().unwrap();
    assert_eq!(error.code().as_str(), "store-busy");
    client
        .batch_execute("drop table inbox_log; alter table hidden rename to inbox_log")
        .await
        .unwrap();
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().ids(), ids);
}

/// A standby that took over without the lanes of a destination gets them from the running instance.
#[tokio::test]
async fn lanes_that_were_lost_with_a_fail_over_are_made_again() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let kafka = kafka("t");
    write_intents(&*store, vec![intent(&kafka, "A", 1)]).await;
    let client = fixture.client().await;
    client
        .batch_execute("delete from outbox_lane; delete from outbox_ready; delete from outbox_log")
        .await
        .unwrap();
    let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
               where datname = current_database() and pid <> pg_backend_pid()";
    while client.query_one(end, &[]).await.unwrap().get::<_, i64>(0) > 0 {
        tokio::task::yield_now().await;
    }
    // The pool may hand out a connection whose end it has not noticed yet.
    while store.store(&[marker()], &[]).await.is_err() {}
    let again = kafka.clone();
    let write =
        move |_: &_| Changes { intents: vec![intent(&again, "A", 2)], ..Changes::default() };
    batch(&*store, Script::writing(write)).await.unwrap();
    assert_eq!(store.due_destinations().await.unwrap(), [kafka]);
}

/// An instance of the version before starts again and does not forbid what the newer one writes.
#[tokio::test]
async fn an_older_instance_does_not_forbid_newer_states() {
    let fixture = Postgres::<15>::fresh().await;
    let (newer, older) = (fixture.store(), fixture.another().await);
    let mut tables = suite_tables();
    let mut process = (*tables.processes[0]).clone();
    process.states.push("REVIEW");
    tables.processes[0] = process.checked().unwrap();
    newer.migrate(&tables).await.unwrap();
    older.migrate(&suite_tables()).await.unwrap();
    stored(&*newer, &[event("A", 1)]).await;
    let review = |_: &_| Changes {
        states: vec![StateWrite { state: "REVIEW".to_owned(), ..new_state("A") }],
        ..Changes::default()
    };
    batch(&*newer, Script::writing(review)).await.unwrap();
}

/// A batch is dropped wherever it may be, and its connection is the only one: the next commit on it
/// must not carry what the batch had done.
#[tokio::test]
async fn a_dropped_batch_does_not_ride_on_the_next_commit() {
    let fixture = Postgres::<15>::fresh().await;
    let options = PostgresOptions { connections: 1, ..PostgresOptions::new(&fixture.url()) };
    let store = PostgresStore::connect(&options).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    let mut ids = Vec::new();
    for polls in 0..30 {
        ids.extend(stored(&store, &[event("A", polls)]).await);
        let times = usize::try_from(polls).unwrap();
        drop(polled_at_most(times, batch(&store, Script::process_all())).await);
        ids.extend(stored(&store, &[event("B", polls)]).await);
    }
    // A session that is being closed may hold a lane a moment longer.
    while store
        .inbox_rows(1_000)
        .await
        .unwrap()
        .iter()
        .any(|row| row.status == InboxStatus::Received)
    {
        batch(&store, Script::process_all()).await.unwrap();
    }
    for row in store.inbox_rows(1_000).await.unwrap() {
        assert!(row.processed_at.is_some(), "{} was lost: {}", row.message.id, row.status);
    }
}
