//! As many out as in, over several members, stops and starts.

use dipmo_kafka::testing;
use rdkafka::consumer::Consumer as _;
use rdkafka::{Offset, TopicPartitionList};

use crate::rig::{Rig, asking};

#[tokio::test(flavor = "multi_thread")]
async fn as_many_come_out_as_went_in_also_by_several_members() {
    let rig = Rig::new(4).await;
    rig.send_numbers(0..3_000);
    let mut options = rig.options();
    options.batch.records = 100;
    let first = rig.start(options.clone());
    first.until("the first", |figures| figures.records_in > 0).await;
    // Another comes and goes in the middle of it.
    let second = rig.start(options.clone());
    rig.send_numbers(3_000..6_000);
    second.until("a share", |figures| figures.records_in > 0).await;
    rig.send_numbers(6_000..9_000);
    let left = second.stop().await;
    first.until("the rest", |figures| figures.records_in + left.records_in == 9_000).await;
    let figures = first.stop().await;
    assert_eq!(rig.numbers(), (0..9_000).collect::<Vec<_>>());
    assert_eq!(figures.records_out + left.records_out, 9_000);
    assert!(figures.committed > 20, "{figures:?}");
    assert_eq!(committed(&rig), 9_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_starts_again_goes_on_where_it_stopped() {
    let rig = Rig::new(2).await;
    for round in 0..3 {
        let numbers = round * 500..(round + 1) * 500;
        rig.send_numbers(numbers);
        let running = rig.start(rig.options());
        running.until("all", |figures| figures.records_in == 500).await;
        running.until("no lag", |it| it.lag.len() == 2 && it.total_lag() == 0).await;
        assert!(running.health().is_well() && running.health().partitions == 2);
        assert_eq!(running.stop().await.records_in, 500);
    }
    assert_eq!(rig.numbers(), (0..1_500).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_begins_with_the_latest_skips_what_was_there_and_nothing_after() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0..100);
    let mut options = rig.options();
    options.start = dipmo_leg_kafka::Start::Latest;
    let running = rig.start(options.clone());
    running.until("a partition", |figures| figures.assigned == 1).await;
    // Nothing came, nothing was committed by a transaction, and still it is known where it began.
    running.stop().await;
    rig.send_numbers(100..200);
    let running = rig.start(options);
    running.until("what came later", |figures| figures.records_in == 100).await;
    running.stop().await;
    assert_eq!(rig.numbers(), (100..200).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_is_missing_is_told_and_found_when_it_comes() {
    let kafka = testing::options();
    let (from, to) = (testing::unique_name("late-in"), testing::topic("late-out", 1).await);
    let rig = Rig::of(&kafka, from, to, testing::unique_name("late"));
    let running = rig.start(rig.options());
    let missing = || {
        let problems = running.health().problems;
        problems.iter().any(|problem| problem.code.as_str() == "kafka-topic-unknown")
    };
    running.until_that("told", missing).await;
    testing::create(&kafka, &rig.from, 1, &[]).await;
    rig.send_numbers(0..10);
    running.until("all", |figures| figures.records_in == 10).await;
    running.until_that("well", || running.health().is_well()).await;
    running.stop().await;
}

/// Where the group stands, all partitions together.
fn committed(rig: &Rig) -> i64 {
    let client = asking(&rig.kafka, &rig.group);
    let mut places = TopicPartitionList::new();
    (0..4).for_each(|partition| {
        places.add_partition(&rig.from, partition);
    });
    let committed = client.committed_offsets(places, crate::rig::PATIENCE).unwrap();
    let offset = |offset| if let Offset::Offset(offset) = offset { offset } else { 0 };
    committed.elements().iter().map(|element| offset(element.offset())).sum()
}
