//! Partitions that move between instances while they are read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dipmo_source_kafka::BatchLimits;

use crate::rig::{Producer, Rig};

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_instances_that_come_and_go_in_mid_batch_lose_and_double_nothing() {
    const PARTITIONS: i32 = 6;
    let rig = Rig::new(PARTITIONS).await;
    let mut options = rig.options();
    options.batch = BatchLimits { records: 200, ..BatchLimits::default() };
    options.commit_every = Duration::from_millis(50);
    // A producer that does not stop while partitions move.
    let stop = Arc::new(AtomicBool::new(false));
    let (topic, until) = (rig.topic.clone(), Arc::clone(&stop));
    let producing = std::thread::spawn(move || {
        let producer = Producer::new(&[]);
        let mut sent = 0_i64;
        while !until.load(Ordering::Relaxed) {
            for partition in 0..PARTITIONS {
                producer.send(&topic, partition, Some(format!("{{\"n\":{sent}}}").as_bytes()));
            }
            sent += 1;
            if sent % 20 == 0 {
                std::thread::sleep(Duration::from_millis(25));
            }
        }
        producer.flush();
        sent
    });
    let first = rig.start_with(options.clone());
    first.until_records(500).await;
    let second = rig.start_with(options.clone());
    second.until_records(500).await;
    let third = rig.start_with(options.clone());
    third.until_records(500).await;
    let first = first.stop().await;
    let at = second.figures().records;
    second.until_records(at + 500).await;
    let third = third.stop().await;
    stop.store(true, Ordering::Relaxed);
    let sent = producing.join().unwrap();
    let all = sent * i64::from(PARTITIONS);
    let (one, two) = (first.stored, third.stored);
    second.until("everything", |figures| (figures.stored + one + two).cast_signed() >= all).await;
    let second = second.stop().await;
    let expected: Vec<_> = (0..PARTITIONS).flat_map(|p| (0..sent).map(move |o| (p, o))).collect();
    assert!(rig.places().await == expected, "lost or doubled");
    assert_eq!((one + two + second.stored).cast_signed(), all);
    for partition in 0..PARTITIONS {
        assert_eq!(rig.committed(partition), Some(sent));
        assert_eq!(rig.stored(partition).await, Some(sent));
    }
    assert!(first.revoked > 0 && second.revoked > 0 && third.revoked > 0);
    assert_eq!(first.committed_ahead + second.committed_ahead + third.committed_ahead, 0);
}

/// With a name of its own an instance that restarts in time gets its partitions back, and the
/// others notice nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_static_member_that_restarts_moves_no_partitions() {
    let rig = Rig::new(4).await;
    let named = |name: &str| {
        let mut options = rig.options();
        options.instance_id = Some(name.to_owned());
        options
    };
    let stays = rig.start_with(named("stays"));
    stays.until("partitions", |figures| figures.assigned == 4).await;
    let restarts = rig.start_with(named("restarts"));
    restarts.until("partitions", |figures| figures.assigned == 2).await;
    stays.until("loss of two", |figures| figures.revoked == 2).await;
    restarts.stop().await;
    (0..4).for_each(|p| rig.send_numbers(p, 0..10));
    let back = rig.start_with(named("restarts"));
    back.until_records(20).await;
    stays.until_records(20).await;
    assert_eq!(stays.figures().assigned, 4, "partitions moved");
    back.stop().await;
    stays.stop().await;
    assert_eq!(rig.places().await.len(), 40);
}
