//! A real broker that dies, and one that stands still, in the middle of publishing.

use std::collections::BTreeSet;
use std::time::Duration;

use dipmo_kafka::testing::{self, OwnBroker};
use dipmo_outbox::{Delivery, Published, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};

use crate::support::{delivery, expected, ids_by_key, is_delivered, once};

/// As the dispatcher: what was not delivered is given again, in its order, until all are.
async fn until_all_are_delivered(
    publisher: &KafkaPublisher,
    mut left: Vec<Delivery>,
    unanswered: &mut BTreeSet<String>,
) {
    while !left.is_empty() {
        let answers = publisher.publish(&left).await;
        let refused = answers.iter().find(|answer| matches!(answer, Published::Refused(_)));
        assert_eq!(refused, None);
        let mut answers = answers.iter();
        left.retain(|_| answers.next().is_some_and(|answer| !is_delivered(answer)));
        unanswered.extend(left.iter().map(Delivery::idempotency_key));
    }
}

fn deliveries(topic: &str, from: i64, count: i64) -> Vec<Delivery> {
    let key = |unit: i64| format!("key-{}", unit % 30);
    (from..from + count).map(|unit| delivery(topic, &key(unit), unit)).collect()
}

fn publisher(broker: &OwnBroker) -> KafkaPublisher {
    let deadline = Duration::from_secs(4);
    let options = KafkaSinkOptions { deadline, ..KafkaSinkOptions::new(broker.options()) };
    KafkaPublisher::new(options).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_dies_and_comes_back_gets_everything_in_order() {
    let mut broker = OwnBroker::start();
    let topic = testing::topic_with(&broker.options(), "killed", 2, &[]).await;
    let publisher = publisher(&broker);
    let all = deliveries(&topic, 0, 3_000);
    // A broker that has just started may be slow to answer.
    let mut unanswered = BTreeSet::new();
    let (before, rest) = all.split_at(1_000);
    until_all_are_delivered(&publisher, before.to_vec(), &mut unanswered).await;

    let delivering = until_all_are_delivered(&publisher, rest.to_vec(), &mut unanswered);
    let crashing = async {
        // Some of it is on its way, and not all.
        while publisher.metrics().snapshot().delivered < 1_200 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::task::block_in_place(|| broker.kill());
        let nobody = async {
            while !publisher.metrics().snapshot().failed.contains_key("kafka-unreachable") {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), nobody).await.unwrap();
        tokio::task::block_in_place(|| broker.restart());
    };
    tokio::join!(delivering, crashing);

    let arrived = ids_by_key(&testing::read_to_end_of(&broker.options(), &topic));
    assert_eq!(once(&arrived, &unanswered), expected(&all));
}

/// Requests of which nobody knows whether they arrived lie in the broker's sockets when it wakes
/// up. None of them may be taken behind what was sent after they were given up.
#[tokio::test(flavor = "multi_thread")]
async fn trap_22_what_was_given_up_on_the_wire_never_lands_behind_its_successor() {
    let broker = OwnBroker::start();
    let topic = testing::topic_with(&broker.options(), "frozen", 1, &[]).await;
    let publisher = publisher(&broker);
    let all = deliveries(&topic, 0, 900);
    let mut unanswered = BTreeSet::new();
    until_all_are_delivered(&publisher, all[..300].to_vec(), &mut unanswered).await;

    broker.freeze();
    let given_up = publisher.publish(&all[300..600]).await;
    assert!(!given_up.iter().any(is_delivered));
    unanswered.extend(all[300..600].iter().map(Delivery::idempotency_key));
    broker.thaw();
    until_all_are_delivered(&publisher, all[300..].to_vec(), &mut unanswered).await;

    let mut arrived = ids_by_key(&testing::read_to_end_of(&broker.options(), &topic));
    assert_eq!(once(&arrived, &unanswered), expected(&all));
    arrived.values_mut().for_each(Vec::dedup);
    assert_eq!(arrived, expected(&all));
}
