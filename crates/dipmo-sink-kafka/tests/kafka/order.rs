//! Order per key, counted to the record.

use dipmo_kafka::testing;
use dipmo_outbox::{Delivery, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};

use crate::support::{delivery, expected, ids_by_key, is_delivered, publisher};

const SLICE: usize = 500;

fn deliveries(topic: &str, prefix: &str, count: i64, keys: i64) -> Vec<Delivery> {
    let key = |unit: i64| format!("{prefix}-{}", unit * 7 % keys);
    (0..count).map(|unit| delivery(topic, &key(unit), unit)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_24_ten_thousand_records_arrive_once_and_in_order_per_key() {
    let topic = testing::topic("order", 6).await;
    let all = deliveries(&topic, "key", 10_000, 300);
    let publisher = publisher();
    for slice in all.chunks(SLICE) {
        let answers = publisher.publish(slice).await;
        assert!(answers.iter().all(is_delivered), "{answers:?}");
    }
    let records = testing::read_to_end(&topic);
    assert_eq!(records.len(), 10_000);
    assert_eq!(ids_by_key(&records), expected(&all));
    let used: std::collections::BTreeSet<i32> = records.iter().map(|it| it.partition).collect();
    assert_eq!(used.len(), 6);

    let figures = publisher.metrics().snapshot();
    assert_eq!((figures.delivered, figures.in_flight), (10_000, 0));
    assert_eq!(figures.latency.count(), 10_000);
    assert!(figures.failed.is_empty(), "{:?}", figures.failed);
    let bytes = |delivery: &Delivery| delivery.aggregate_id.len() + delivery.payload.as_str().len();
    assert_eq!(figures.delivered_bytes, all.iter().map(bytes).sum::<usize>() as u64);
}

/// Two instances have different keys at any time: their lanes are leased.
#[tokio::test(flavor = "multi_thread")]
async fn two_publishers_at_once_keep_their_keys_in_order() {
    let topic = testing::topic("two", 3).await;
    let (left, right) = (deliveries(&topic, "l", 3_000, 40), deliveries(&topic, "r", 3_000, 40));
    let send = |all: Vec<Delivery>| async move {
        let publisher = publisher();
        for slice in all.chunks(SLICE) {
            assert!(publisher.publish(slice).await.iter().all(is_delivered));
        }
    };
    tokio::join!(tokio::spawn(send(left.clone())), tokio::spawn(send(right.clone()))).0.unwrap();
    let records = testing::read_to_end(&topic);
    assert_eq!(records.len(), 6_000);
    assert_eq!(ids_by_key(&records), expected(left.iter().chain(&right)));
}

/// A key lies where Kafka's Java client would put it, so that both can write to one topic.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_the_partition_that_a_java_producer_gives_it() {
    let topic = testing::topic("partitions", 7).await;
    // murmur2 of the key without its sign, modulo 7.
    let known = [("21", 1_173_551_340), ("foobar", 1_357_151_166), ("abc", 479_470_107)];
    let all: Vec<Delivery> =
        known.iter().zip(0..).map(|((key, _), unit)| delivery(&topic, key, unit)).collect();
    assert!(publisher().publish(&all).await.iter().all(is_delivered));
    for record in testing::read_to_end(&topic) {
        let key = String::from_utf8(record.key.unwrap()).unwrap();
        let (_, hash) = known.iter().find(|(known, _)| *known == key).unwrap();
        assert_eq!(record.partition, hash % 7, "{key}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slice_that_does_not_fit_into_the_producer_waits_for_room() {
    let topic = testing::topic("full", 2).await;
    let kafka = testing::options().with("queue.buffering.max.messages", "20");
    let publisher = KafkaPublisher::new(KafkaSinkOptions::new(kafka)).unwrap();
    let all = deliveries(&topic, "key", 1_000, 400);
    assert!(publisher.publish(&all).await.iter().all(is_delivered));
    assert_eq!(ids_by_key(&testing::read_to_end(&topic)), expected(&all));
}
