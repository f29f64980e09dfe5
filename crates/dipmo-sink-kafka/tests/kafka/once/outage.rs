//! A broker that dies in the middle of transactions.

use std::collections::BTreeSet;
use std::time::Duration;

use dipmo_kafka::testing::{self, OwnBroker};
use dipmo_outbox::Published;
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};

use super::desk::Desk;
use super::{deliveries, until_ended};
use crate::support::{expected, ids_by_key};

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_dies_and_comes_back_has_everything_once() {
    let mut broker = OwnBroker::start();
    let topic = testing::topic_with(&broker.options(), "killed", 2, &[]).await;
    let deadline = Duration::from_secs(5);
    let options = KafkaSinkOptions::new(broker.options());
    let options = KafkaSinkOptions { deadline, exactly_once: true, ..options };
    let publisher = KafkaPublisher::new(options).unwrap();
    let all = deliveries(&topic, 4_000);
    let mut tried = BTreeSet::new();
    let publishing = async {
        for some in all.chunks(100) {
            let mut left = some.to_vec();
            while !left.is_empty() {
                let desk = Desk::new(&left);
                until_ended(&publisher, &desk.take()).await;
                let undelivered = desk.undelivered();
                for (unit, answer) in desk.answers() {
                    assert!(!matches!(answer, Published::Refused(_)), "{unit}: {answer:?}");
                    if matches!(answer, Published::Retry { .. }) {
                        assert!(tried.insert(unit), "{unit} cost more than one attempt");
                    }
                }
                left.retain(|unit| undelivered.contains(&unit.unit.0));
            }
        }
    };
    let crashing = async {
        while publisher.metrics().snapshot().delivered < 1_000 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::task::block_in_place(|| broker.kill());
        // Somebody has noticed.
        while publisher.metrics().snapshot().failed.is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tokio::task::block_in_place(|| broker.restart());
    };
    tokio::join!(publishing, crashing);
    // What was in the one transaction that lay open when it died, and nothing else.
    assert!(tried.len() <= 100, "{tried:?}");
    let arrived = testing::read_to_end_of(&broker.options(), &topic);
    assert_eq!(ids_by_key(&arrived), expected(&all));
}
