//! Partitions whose leader does not answer and has no successor yet, which no real cluster shows on
//! cue: librdkafka's mock of one does.

use std::time::{Duration, Instant};

use dipmo_kafka::{KafkaOptions, testing};
use dipmo_source_kafka::SourceOptions;
use rdkafka::mocking::{MockCluster, MockCoordinator};

use crate::rig::{Folder, Producer, Rig};

const TOPIC: &str = "absent-leaders";
/// All but the last are led by the second broker.
const PARTITIONS: i32 = 9;

#[tokio::test(flavor = "multi_thread")]
async fn partitions_whose_leader_does_not_answer_are_not_each_waited_for_as_long() {
    let cluster = MockCluster::new(2).unwrap();
    cluster.create_topic(TOPIC, PARTITIONS, 1).unwrap();
    let led_by = |partition| if partition < PARTITIONS - 1 { 2 } else { 1 };
    (0..PARTITIONS).for_each(|p| cluster.partition_leader(TOPIC, p, Some(led_by(p))).unwrap());
    let (folder, group) = (Folder::new(), testing::unique_name("group"));
    cluster.coordinator(MockCoordinator::Group(group.clone()), 1).unwrap();
    // The mock does not hear that a member leaves, and misses it after this. Nobody but the leader
    // of these partitions is slow.
    let servers = cluster.bootstrap_servers();
    let first = servers.split(',').next().unwrap();
    let kafka = KafkaOptions::new(first).with("session.timeout.ms", "6000");
    let (store, producer) = (folder.store().await, Producer::of(&kafka, &[]));
    let rig = Rig { topic: TOPIC.to_owned(), group, folder, store, producer };
    let start = || rig.start_with(SourceOptions::new(kafka.clone(), &rig.group, [TOPIC]));
    let all = u64::from(PARTITIONS.unsigned_abs());
    let running = start();
    running.until("partitions", |figures| figures.assigned == all).await;
    running.stop().await;

    rig.send_numbers(PARTITIONS - 1, 0..10);
    cluster.broker_round_trip_time(2, Duration::from_secs(20)).unwrap();
    let running = start();
    running.until("rebalance", |figures| figures.rebalances > 0).await;
    let began = Instant::now();
    running.until_records(10).await;
    // Ten seconds for all of them, and not five for each.
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    cluster.broker_round_trip_time(2, Duration::ZERO).unwrap();
    rig.send_numbers(0, 0..10);
    running.until_records(20).await;
    running.stop().await;
}
