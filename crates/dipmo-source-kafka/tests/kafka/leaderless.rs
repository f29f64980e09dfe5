//! Partitions without a leader, which no real broker shows on cue: librdkafka's mock of one does.

use std::time::{Duration, Instant};

use dipmo_kafka::{KafkaOptions, testing};
use dipmo_source_kafka::SourceOptions;
use rdkafka::mocking::MockCluster;

use crate::rig::{Folder, Producer, Rig};

const TOPIC: &str = "leaderless";
/// All but the last lose their leader.
const PARTITIONS: i32 = 9;

#[tokio::test(flavor = "multi_thread")]
async fn partitions_without_a_leader_together_wait_no_longer_than_one() {
    let cluster = MockCluster::new(1).unwrap();
    cluster.create_topic(TOPIC, PARTITIONS, 1).unwrap();
    let kafka = KafkaOptions::new(&cluster.bootstrap_servers());
    let (folder, group) = (Folder::new(), testing::unique_name("group"));
    let (store, producer) = (folder.store().await, Producer::of(&kafka, &[]));
    let rig = Rig { topic: TOPIC.to_owned(), group, folder, store, producer };
    let start = || rig.start_with(SourceOptions::new(kafka.clone(), &rig.group, [TOPIC]));
    let all = u64::from(PARTITIONS.unsigned_abs());
    let running = start();
    running.until("partitions", |figures| figures.assigned == all).await;
    running.stop().await;

    rig.send_numbers(PARTITIONS - 1, 0..10);
    (0..PARTITIONS - 1).for_each(|p| cluster.partition_leader(TOPIC, p, None).unwrap());
    let running = start();
    running.until("rebalance", |figures| figures.rebalances > 0).await;
    let began = Instant::now();
    running.until_records(10).await;
    // Five seconds for all of them, and not for each.
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    (0..PARTITIONS - 1).for_each(|p| cluster.partition_leader(TOPIC, p, Some(1)).unwrap());
    rig.send_numbers(0, 0..10);
    running.until_records(20).await;
    running.stop().await;
}
