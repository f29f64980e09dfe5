//! TLS and logins against the listeners of a real broker.

use std::time::Duration;

use dipmo_kafka::{KafkaOptions, testing};
use dipmo_outbox::{Published, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};

use crate::support::{delivery, is_delivered, refused};

fn publisher(kafka: KafkaOptions, deadline: Duration) -> KafkaPublisher {
    KafkaPublisher::new(KafkaSinkOptions { deadline, ..KafkaSinkOptions::new(kafka) }).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_log_in_works() {
    let topic = testing::topic("logins", 1).await;
    let ways = testing::secure().ways_in();
    for (unit, kafka) in (0..).zip(&ways) {
        // A first handshake takes its time on a busy machine.
        let publisher = publisher(kafka.clone(), Duration::from_secs(60));
        let answers = publisher.publish(&[delivery(&topic, "a", unit)]).await;
        assert!(is_delivered(&answers[0]), "{kafka:?}: {answers:?}");
    }
    assert_eq!(testing::read_to_end(&topic).len(), ways.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_is_refused_costs_no_attempt_and_is_called_by_its_name() {
    // All at once: each is answered when its record is given up.
    let ways = testing::secure().ways_that_are_refused();
    let refused = ways.into_iter().map(|kafka| {
        tokio::spawn(async move {
            let publisher = publisher(kafka.clone(), Duration::from_secs(25));
            let answers = publisher.publish(&[delivery("never", "a", 1)]).await;
            assert_eq!(answers, [Published::NotTried], "{kafka:?}");
            let failed = publisher.metrics().snapshot().failed;
            let codes: Vec<_> = failed.keys().copied().collect();
            assert_eq!(codes, ["kafka-login-refused"], "{kafka:?}");
        })
    });
    for refused in refused.collect::<Vec<_>>() {
        refused.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_may_not_write_is_refused_with_the_brokers_words() {
    let topic = testing::topic("forbidden", 1).await;
    // It is told at once, but a handshake takes its time on a busy machine.
    let publisher = publisher(testing::secure().as_guest(), Duration::from_secs(60));
    let all = [delivery(&topic, "a", 1), delivery(&topic, "a", 2)];
    let answers = publisher.publish(&all).await;
    assert_eq!(refused(&answers[0]), "kafka-not-authorised");
    let Published::Refused(failure) = &answers[0] else { unreachable!() };
    assert!(failure.message().contains("authorization failed"), "{}", failure.message());
    assert_eq!(answers[1], Published::NotTried);
    assert!(testing::read_to_end(&topic).is_empty());
}
