//! A publisher that goes in the middle, and the next one that goes on.

use std::collections::BTreeSet;
use std::time::Duration;

use dipmo_kafka::testing;
use dipmo_outbox::{Delivery, Publisher as _};

use crate::support::{delivery, expected, ids_by_key, is_delivered, once, publisher};

/// Each publisher is dropped while it publishes, as by `kill`; what it did not answer for is given
/// to the next one.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_acknowledged_comes_again_under_its_id_and_nothing_is_lost_or_swapped() {
    let topic = testing::topic("restart", 4).await;
    let key = |unit: i64| format!("key-{}", unit % 50);
    let all: Vec<Delivery> = (0..4_000).map(|unit| delivery(&topic, &key(unit), unit)).collect();
    let mut unanswered = BTreeSet::new();
    let mut last = publisher();
    for (number, slice) in all.chunks(400).enumerate() {
        // From hardly begun to nearly done.
        let patience = Duration::from_millis(5 * number as u64);
        if tokio::time::timeout(patience, last.publish(slice)).await.is_err() {
            unanswered.extend(slice.iter().map(Delivery::idempotency_key));
            drop(std::mem::replace(&mut last, publisher()));
            assert!(last.publish(slice).await.iter().all(is_delivered));
        }
    }
    assert!(!unanswered.is_empty());
    let arrived = ids_by_key(&testing::read_to_end(&topic));
    assert_eq!(once(&arrived, &unanswered), expected(&all));
}

/// The same publisher goes on after its `publish` was dropped, with copies still in the producer.
#[tokio::test(flavor = "multi_thread")]
async fn a_publish_that_is_dropped_leaves_nothing_that_overtakes() {
    let topic = testing::topic("dropped", 2).await;
    let key = |unit: i64| format!("key-{}", unit % 20);
    let all: Vec<Delivery> = (0..2_000).map(|unit| delivery(&topic, &key(unit), unit)).collect();
    let publisher = publisher();
    let mut unanswered = BTreeSet::new();
    for slice in all.chunks(200) {
        let nothing = tokio::time::timeout(Duration::ZERO, publisher.publish(slice)).await;
        if nothing.is_err() {
            unanswered.extend(slice.iter().map(Delivery::idempotency_key));
            assert!(publisher.publish(slice).await.iter().all(is_delivered));
        }
    }
    let mut arrived = ids_by_key(&testing::read_to_end(&topic));
    assert_eq!(once(&arrived, &unanswered), expected(&all));
    // Even to a reader who remembers only the last id: a copy stands beside its original.
    arrived.values_mut().for_each(Vec::dedup);
    assert_eq!(arrived, expected(&all));
}
