//! Topics and partitions that come while a source runs.

use dipmo_kafka::testing;
use dipmo_source_kafka::SourceOptions;
use rdkafka::admin::{AdminOptions, NewPartitions};

use crate::rig::{Producer, Rig};

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_appears_later_is_read() {
    let mut rig = Rig::new(1).await;
    let there = rig.topic.clone();
    let later = testing::unique_name("later");
    let options = SourceOptions::new(testing::options(), &rig.group, [&there, &later]);
    let running = rig.start_with(options);
    rig.send_numbers(0, 0..10);
    running.until_records(10).await;
    running.until_problem("kafka-topic-unknown").await;
    testing::create(&testing::options(), &later, 1, &[]).await;
    rig.topic = later;
    rig.send_numbers(0, 0..10);
    running.until_records(20).await;
    running.until_well().await;
    running.stop().await;
    assert_eq!((rig.stored(0).await, rig.committed(0)), (Some(10), Some(10)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_takes_topics_that_appear_later() {
    let mut rig = Rig::new(1).await;
    let family = testing::unique_name("family");
    let pattern = format!("^{family}-.*");
    let running = rig.start_with(SourceOptions::new(testing::options(), &rig.group, [pattern]));
    for member in 0..2 {
        rig.topic = format!("{family}-{member}");
        testing::create(&testing::options(), &rig.topic, 2, &[]).await;
        (0..2).for_each(|p| rig.send_numbers(p, 0..5));
        running.until_records(10 * (member + 1)).await;
    }
    assert_eq!(running.source.health().partitions, 4);
    assert_eq!(running.stop().await.stored, 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn partitions_that_are_added_are_read_from_their_beginning() {
    let mut rig = Rig::new(1).await;
    let mut options = rig.options();
    options.start = dipmo_source_kafka::Start::Latest;
    let running = rig.start_with(options);
    running.until("partition", |figures| figures.assigned == 1).await;
    rig.send_numbers(0, 0..10);
    running.until_records(10).await;
    let admin = testing::admin(&testing::options());
    let more = NewPartitions::new(&rig.topic, 3);
    admin.create_partitions(&[more], &AdminOptions::new()).await.unwrap();
    // Long before the source knows of them; a producer that knew less would wait.
    rig.producer = Producer::new(&[]);
    (1..3).for_each(|p| rig.send_numbers(p, 0..10));
    running.until_records(30).await;
    running.stop().await;
    let expected: Vec<_> = (0..3).flat_map(|p| (0..10).map(move |o| (p, o))).collect();
    assert_eq!(rig.places().await, expected);
}
