//! Store, then commit: everything arrives once, and offsets follow.

use std::time::{Duration, Instant};

use dipmo_domain::Failure;
use dipmo_inbox::{Hold, InboxLoad};
use dipmo_kafka::testing;
use dipmo_source_kafka::{BatchLimits, PauseReason, PressureLimits, SourceOptions};
use rdkafka::producer::Producer as _;
use tokio::sync::watch;

use crate::rig::{PATIENCE, Producer, Rig, Running};

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_every_record_is_stored_once_and_then_committed() {
    let rig = Rig::new(3).await;
    (0..3).for_each(|partition| rig.send_numbers(partition, 0..2_000));
    let running = rig.start();
    running.until_records(6_000).await;
    running
        .until("lag of nothing", |figures| figures.lag.len() == 3 && figures.total_lag() == 0)
        .await;
    assert!(running.source.health().is_well());
    assert_eq!(running.source.health().partitions, 3);
    let figures = running.stop().await;
    let expected: Vec<_> = (0..3).flat_map(|p| (0..2_000).map(move |o| (p, o))).collect();
    assert_eq!(rig.places().await, expected);
    for partition in 0..3 {
        assert_eq!(rig.stored(partition).await, Some(2_000));
        assert_eq!(rig.committed(partition), Some(2_000));
    }
    assert_eq!((figures.stored, figures.duplicates, figures.conflicts), (6_000, 0, 0));
    assert!(figures.batch_size() > 100.0, "{}", figures.batch_size());
    assert_eq!((figures.decode.count(), figures.store.count()), (figures.batches, figures.batches));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_is_committed_soon_and_not_only_when_it_stops() {
    let rig = Rig::new(1).await;
    let running = rig.start();
    for end in [100, 200, 300] {
        rig.send_numbers(0, end - 100..end);
        let began = Instant::now();
        let end = i64::from(end);
        running.until("commit", |_| rig.committed(0) == Some(end)).await;
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_and_start_goes_on_where_it_was() {
    let rig = Rig::new(2).await;
    for round in 1..=4 {
        (0..2).for_each(|p| rig.send_numbers(p, 0..250));
        let running = rig.start();
        running.until_records(500).await;
        let figures = running.stop().await;
        assert_eq!((figures.records, figures.duplicates), (500, 0), "round {round}");
        assert_eq!((figures.committed_ahead, figures.committed_behind), (0, 0));
        assert_eq!(rig.committed(0), Some(250 * round));
    }
    assert_eq!(rig.places().await.len(), 2_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn duplicates_are_recognised_and_impostors_are_incidents() {
    let rig = Rig::new(1).await;
    for _ in 0..3 {
        for number in 0..500 {
            let value = format!("{{\"n\":{number}}}");
            rig.producer.send_id(&rig.topic, 0, &format!("id-{number}"), value.as_bytes());
        }
    }
    rig.producer.send_id(&rig.topic, 0, "id-7", b"{\"n\":\"another\"}");
    rig.producer.flush();
    let running = rig.start();
    running.until_records(1_501).await;
    let figures = running.stop().await;
    assert_eq!((figures.stored, figures.duplicates, figures.conflicts), (500, 1_000, 1));
    assert_eq!(rig.places().await.len(), 500);
    assert_eq!(rig.committed(0), Some(1_501));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_transaction_of_a_foreign_producer_is_never_stored() {
    let rig = Rig::new(1).await;
    let id = testing::unique_name("foreign");
    let foreign = Producer::new(&[("transactional.id", &id)]);
    foreign.inner().init_transactions(PATIENCE).unwrap();
    for (round, commits) in [true, false, true, false].into_iter().enumerate() {
        foreign.inner().begin_transaction().unwrap();
        for number in 0..100 {
            let value = format!("{{\"round\":{round},\"n\":{number}}}");
            foreign.send(&rig.topic, 0, Some(value.as_bytes()));
        }
        foreign.flush();
        if commits {
            foreign.inner().commit_transaction(PATIENCE).unwrap();
        } else {
            foreign.inner().abort_transaction(PATIENCE).unwrap();
        }
    }
    let running = rig.start();
    running.until_records(200).await;
    // The markers at the end are read by nobody, and are no lag.
    running
        .until("lag of nothing", |figures| figures.lag.len() == 1 && figures.total_lag() == 0)
        .await;
    running.stop().await;
    let rows = rig.rows().await;
    let payloads = rows.iter().map(|row| row.message.payload.as_ref().unwrap().as_str().to_owned());
    let expected = [0, 2].into_iter().flat_map(|round| {
        (0..100).map(move |number| format!("{{\"round\":{round},\"n\":{number}}}"))
    });
    assert!(payloads.eq(expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_locked_for_a_while_loses_nothing() {
    let rig = Rig::new(2).await;
    let mut options = rig.options();
    options.batch = BatchLimits { records: 50, ..BatchLimits::default() };
    // The broker would throw us out after six seconds without a poll.
    options.kafka =
        options.kafka.with("max.poll.interval.ms", "6000").with("session.timeout.ms", "6000");
    let running = rig.start_with(options);
    (0..2).for_each(|p| rig.send_numbers(p, 0..100));
    running.until_records(200).await;
    let look = rig.folder.look();
    look.execute_batch("BEGIN EXCLUSIVE").unwrap();
    (0..2).for_each(|p| rig.send_numbers(p, 100..2_000));
    running.until("pause", |figures| figures.pauses_store == 1).await;
    assert_eq!(paused(&running), Some(PauseReason::Store));
    // Reading may pause before the database has given its first answer.
    running.until_problem("store-busy").await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert_eq!(running.figures().revoked, 0, "thrown out of the group");
    look.execute_batch("COMMIT").unwrap();
    running.until_records(4_000).await;
    running.until_well().await;
    let figures = running.stop().await;
    assert_eq!((figures.stored, figures.duplicates), (4_000, 0));
    assert!(figures.store_errors["store-busy"] > 0);
    assert_eq!((rig.committed(0), rig.committed(1)), (Some(2_000), Some(2_000)));
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_pauses_when_the_inbox_is_too_deep_and_goes_on_by_itself() {
    let rig = Rig::new(1).await;
    let mut options = rig.options();
    options.pressure = PressureLimits { depth: 100, oldest: Duration::from_secs(60) };
    let (tell, load) = watch::channel(InboxLoad { depth: 101, oldest: Duration::ZERO });
    let running = Running::new(rig.source(options).load(load));
    running.until("pause", |figures| figures.pauses_pressure == 1).await;
    running.until("partition", |figures| figures.assigned == 1).await;
    rig.send_numbers(0, 0..100);
    read_by_another_group(&rig, 100).await;
    assert_eq!(paused(&running), Some(PauseReason::Pressure));
    tell.send(InboxLoad { depth: 51, oldest: Duration::ZERO }).unwrap();
    read_by_another_group(&rig, 100).await;
    assert_eq!(running.figures().records, 0, "half of the limit is not reached yet");
    tell.send(InboxLoad { depth: 50, oldest: Duration::ZERO }).unwrap();
    running.until_records(100).await;
    assert_eq!(paused(&running), None);
    tell.send(InboxLoad { depth: 101, oldest: Duration::ZERO }).unwrap();
    running.until("second pause", |figures| figures.pauses_pressure == 2).await;
    drop(tell);
    rig.send_numbers(0, 100..200);
    running.until_records(200).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_an_operator_holds_back_stays_in_its_group_and_reads_nothing() {
    let rig = Rig::new(2).await;
    rig.send_numbers(0, 0..100);
    let (say, said) = watch::channel(Some(Failure::new("source-paused", "INC-17")));
    let hold = Hold::new(move || said.borrow().clone());
    let running = Running::new(rig.source(rig.options()).held(hold));
    running.until("partitions", |figures| figures.assigned == 2).await;
    rig.send_numbers(1, 0..50);
    read_by_another_group(&rig, 150).await;
    assert_eq!(paused(&running), Some(PauseReason::Operator));
    let health = running.source.health();
    assert_eq!((health.held.unwrap().message(), health.unstored), ("INC-17", None));
    assert_eq!(running.figures().records, 0, "it has read something");
    say.send_replace(None);
    running.until_records(150).await;
    assert_eq!(paused(&running), None);
    say.send_replace(Some(Failure::new("source-paused", "INC-18")));
    let held = Some(PauseReason::Operator);
    running.until("pause", |_| paused(&running) == held).await;
    rig.send_numbers(0, 100..200);
    read_by_another_group(&rig, 250).await;
    assert_eq!(running.figures().records, 150, "it went on reading");
    assert_eq!(running.figures().assigned, 2, "it never left its group");
    say.send_replace(None);
    running.until_records(250).await;
    running.stop().await;
}

fn paused(running: &Running) -> Option<PauseReason> {
    running.source.health().paused.map(|pause| pause.reason)
}

/// Joins, reads and leaves: whoever was a member all the time would have read by then.
async fn read_by_another_group(rig: &Rig, records: u64) {
    let group = testing::unique_name("another");
    let running = rig.start_with(SourceOptions { group, ..rig.options() });
    running.until_records(records).await;
    running.stop().await;
}
