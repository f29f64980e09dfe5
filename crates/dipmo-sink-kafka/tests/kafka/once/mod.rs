//! Exactly once: jobs as transactions of a real broker, left wherever they can be left.

mod crashes;
mod desk;
mod ending;
mod outage;
mod refusals;
mod slots;
mod together;
mod zombie;

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_kafka::{KafkaOptions, testing};
use dipmo_outbox::{Delivery, JobStep, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};

use crate::support::{delivery, ids_by_key};
use desk::Hand;

/// A publisher for the broker of the tests.
fn publisher() -> KafkaPublisher {
    publisher_of(testing::options())
}

fn publisher_of(kafka: KafkaOptions) -> KafkaPublisher {
    // A call that is given up on a busy machine is trouble that these tests do not mean.
    let deadline = Duration::from_secs(60);
    let options = KafkaSinkOptions::new(kafka);
    let options = KafkaSinkOptions { deadline, exactly_once: true, ..options };
    KafkaPublisher::new(options).unwrap()
}

/// So many deliveries, of a hundred keys.
fn deliveries(topic: &str, count: i64) -> Vec<Delivery> {
    let key = |unit: i64| format!("key-{}", unit * 7 % 100);
    (0..count).map(|unit| delivery(topic, &key(unit), unit)).collect()
}

/// As the dispatcher: goes on with a job until it has ended.
async fn until_ended(publisher: &KafkaPublisher, hand: &Hand) {
    while let JobStep::Wait(time) = publisher.run_job(hand).await.unwrap() {
        tokio::time::sleep(time).await;
    }
    hand.end();
}

/// What a reader of committed records finds, by key.
fn committed(topic: &str) -> BTreeMap<String, Vec<String>> {
    let kafka = testing::options().with("isolation.level", "read_committed");
    ids_by_key(&testing::read_to_end_of(&kafka, topic))
}
