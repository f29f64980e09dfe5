//! What was aborted is seen by nobody who reads committed records, and is done again.

use std::sync::Arc;

use dipmo_domain::Failure;
use dipmo_inbox::Record;
use dipmo_inbox::dead_letter::{ERROR_CODE, OFFSET};
use dipmo_kafka::testing;
use dipmo_leg_kafka::{Applied, LEFT_OUT, Outgoing};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::BaseRecord;

use crate::rig::{Rig, Running, copy, numbers};

/// One of the results is larger than its topic takes. The broker refuses it with the batch that it
/// is in, and the transaction with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_is_refused_aborts_is_found_and_becomes_a_dead_letter() {
    let rig = Rig::new(1).await;
    let narrow = [("max.message.bytes", "2000")];
    let narrow = testing::topic_with(&rig.kafka, "leg-narrow", 1, &narrow).await;
    let refusing = narrow.clone();
    let mut options = rig.options();
    rig.make_chain(&options.chain).await;
    rig.send_numbers(0..20);
    let to = rig.to.clone();
    let transform = move |record: &Record| {
        // Others of that partition come before and behind it.
        let mut sent = vec![copy(record, &to), copy(record, &narrow)];
        if record.value.as_deref() == Some(b"7") {
            // Random, or it would be compressed to fit.
            let value = std::iter::repeat_with(|| fastrand::u8(..)).take(5_000).collect();
            sent.push(Outgoing { topic: narrow.clone(), value: Some(value), ..Default::default() });
        }
        Applied::Send(sent)
    };
    options.batch.time = std::time::Duration::from_secs(5);
    let running = Running::new(options, Arc::new(transform));
    running.until("all", |figures| figures.records_in == 20).await;
    running.until_that("well", || running.health().is_well()).await;
    let figures = running.stop().await;
    let expected: Vec<u32> = (0..20).filter(|number| *number != 7).collect();
    assert_eq!(rig.numbers(), expected);
    assert_eq!(numbers(&rig.read(&refusing)), expected);
    let letters = rig.read(&format!("{}-dlt", rig.from));
    assert_eq!(numbers(&letters), [7]);
    assert_eq!(letters[0].headers.text(ERROR_CODE), Some("kafka-record-too-large"));
    assert_eq!(letters[0].headers.text(OFFSET), Some("7"));
    assert!(figures.aborted >= 2, "with the others, and alone: {figures:?}");
    assert_eq!(figures.dead_lettered["kafka-record-too-large"], 1);
    // They were there, and were aborted.
    let options = rig.kafka.clone().with("isolation.level", "read_uncommitted");
    let all = numbers(&testing::read_to_end_of(&options, &rig.to));
    assert!(all.len() > expected.len() && all.contains(&7), "{all:?}");
}

/// Each of the results fits, and all of them in one batch do not.
#[tokio::test(flavor = "multi_thread")]
async fn many_results_that_are_too_large_together_are_sent_one_by_one() {
    let rig = Rig::new(1).await;
    let narrow = [("max.message.bytes", "2000")];
    let narrow = testing::topic_with(&rig.kafka, "leg-narrow", 1, &narrow).await;
    let options = rig.options();
    rig.make_chain(&options.chain).await;
    rig.send_numbers(0..1);
    let to = narrow.clone();
    let transform = move |_: &Record| {
        let value = || Some(std::iter::repeat_with(|| fastrand::u8(..)).take(1_000).collect());
        let result = |_| Outgoing { topic: to.clone(), value: value(), ..Default::default() };
        Applied::Send((0..10).map(result).collect())
    };
    let running = Running::new(options, Arc::new(transform));
    running.until("all", |figures| figures.records_in == 1).await;
    let figures = running.stop().await;
    assert_eq!((figures.records_out, figures.total_dead_lettered()), (10, 0), "{figures:?}");
    assert_eq!(rig.read(&narrow).len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_letter_that_is_refused_is_shortened_and_at_last_holds_up_its_partition_alone() {
    let rig = Rig::new(2).await;
    let dead = format!("{}-dlt", rig.from);
    testing::create(&rig.kafka, &dead, 1, &[("max.message.bytes", "2000")]).await;
    let noise = |size| std::iter::repeat_with(|| fastrand::u8(1..)).take(size).collect::<Vec<_>>();
    let send = |partition: i32, value: &[u8], headers: &[u8]| {
        let headers = OwnedHeaders::new().insert(Header { key: "own", value: Some(headers) });
        let record = BaseRecord::to(&rig.from).partition(partition).key(&b"k"[..]);
        rig.send(record.payload(value).headers(headers));
        rig.flush();
    };
    send(0, b"0", &noise(3_000));
    send(0, &noise(3_000), b"");
    (1..10).for_each(|number| send(1, number.to_string().as_bytes(), b""));
    let to = rig.to.clone();
    let transform = move |record: &Record| match record.partition {
        0 => Applied::Fail(Failure::new("never", "not this one")),
        _ => Applied::Send(vec![copy(record, &to)]),
    };
    let running = Running::new(rig.options(), Arc::new(transform));
    let refused = || {
        let problems = running.health().problems;
        problems.iter().any(|problem| problem.code.as_str() == "kafka-dead-letter-refused")
    };
    running.until_that("told", refused).await;
    send(1, b"10", b"");
    running.until("the others", |figures| figures.records_in == 11).await;
    assert!(refused());
    running.stop().await;
    assert_eq!(rig.numbers(), (1..=10).collect::<Vec<_>>());
    let letters = rig.read(&dead);
    assert_eq!(numbers(&letters), [0]);
    assert_eq!(letters[0].headers.text(LEFT_OUT), Some("headers"));
    assert_eq!(letters[0].headers.text("own"), None);
}
