//! Faults that no real broker shows on cue, by librdkafka's mock of one.

use std::time::Duration;

use dipmo_kafka::KafkaOptions;
use dipmo_outbox::{Published, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

use crate::support::{delivery, is_delivered, refused};

const TOPIC: &str = "mocked";

struct Mocked {
    cluster: MockCluster<'static, DefaultProducerContext>,
    publisher: KafkaPublisher,
}

fn mocked(deadline: Duration) -> Mocked {
    let cluster = MockCluster::new(1).unwrap();
    cluster.create_topic(TOPIC, 1, 1).unwrap();
    let kafka = KafkaOptions::new(&cluster.bootstrap_servers());
    let options = KafkaSinkOptions { deadline, ..KafkaSinkOptions::new(kafka) };
    Mocked { cluster, publisher: KafkaPublisher::new(options).unwrap() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_producer_that_is_lost_is_made_anew() {
    let Mocked { cluster, publisher } = mocked(Duration::from_secs(10));
    let one = [delivery(TOPIC, "a", 1)];
    let lost = [RDKafkaRespErr::RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER];
    cluster.request_errors(RDKafkaApiKey::Produce, &lost);
    let answers = publisher.publish(&one).await;
    let Published::Retry { failure, .. } = &answers[0] else { panic!("{answers:?}") };
    assert_eq!(failure.code(), "kafka-client-fatal");
    assert!(publisher.publish(&one).await.iter().all(is_delivered));
    assert_eq!(publisher.metrics().snapshot().rebuilt, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_we_may_not_write_to_is_refused_with_the_brokers_words() {
    let Mocked { cluster, publisher } = mocked(Duration::from_secs(10));
    let denied = [RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED];
    cluster.request_errors(RDKafkaApiKey::Produce, &denied);
    let answers = publisher.publish(&[delivery(TOPIC, "a", 1), delivery(TOPIC, "a", 2)]).await;
    assert_eq!(refused(&answers[0]), "kafka-not-authorised");
    let Published::Refused(failure) = &answers[0] else { unreachable!() };
    assert!(failure.message().contains("Topic authorization failed"), "{}", failure.message());
    assert_eq!(answers[1], Published::NotTried);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_that_passes_is_not_even_seen() {
    let Mocked { cluster, publisher } = mocked(Duration::from_secs(10));
    let passing = [
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
    ];
    cluster.request_errors(RDKafkaApiKey::Produce, &passing);
    let answers = publisher.publish(&[delivery(TOPIC, "a", 1), delivery(TOPIC, "a", 2)]).await;
    assert!(answers.iter().all(is_delivered), "{answers:?}");
}

/// Nobody is there: no attempt is counted, the answer is there before the deadline, and the first
/// publish after the broker came back goes through.
#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_away_costs_no_attempt() {
    let deadline = Duration::from_secs(5);
    let Mocked { cluster, publisher } = mocked(deadline);
    let all = [delivery(TOPIC, "a", 1), delivery(TOPIC, "a", 2), delivery(TOPIC, "b", 3)];
    cluster.broker_down(1).unwrap();
    let answers = tokio::time::timeout(deadline, publisher.publish(&all)).await.unwrap();
    assert_eq!(answers, vec![Published::NotTried; 3]);
    assert_eq!(publisher.metrics().snapshot().failed["kafka-unreachable"], 2);
    cluster.broker_up(1).unwrap();
    let answers = publisher.publish(&all).await;
    assert!(answers.iter().all(is_delivered), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_where_nobody_is_costs_no_attempt() {
    let mut options = KafkaSinkOptions::new(KafkaOptions::new("127.0.0.1:1"));
    options.deadline = Duration::from_secs(3);
    let publisher = KafkaPublisher::new(options).unwrap();
    assert_eq!(publisher.publish(&[delivery(TOPIC, "a", 1)]).await, [Published::NotTried]);
    assert_eq!(publisher.metrics().snapshot().failed["kafka-unreachable"], 1);
}

/// A broker that takes its time is there: the attempt counts, and the answer is in time.
#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_too_slow_is_tried_again() {
    let deadline = Duration::from_secs(4);
    let Mocked { cluster, publisher } = mocked(deadline);
    let all = [delivery(TOPIC, "a", 1), delivery(TOPIC, "a", 2), delivery(TOPIC, "b", 3)];
    assert!(publisher.publish(&all).await.iter().all(is_delivered));
    cluster.broker_round_trip_time(1, Duration::from_secs(30)).unwrap();
    let answers = tokio::time::timeout(deadline, publisher.publish(&all)).await.unwrap();
    for place in [0, 2] {
        let Published::Retry { failure, .. } = &answers[place] else { panic!("{answers:?}") };
        assert_eq!(failure.code(), "kafka-unreachable");
    }
    assert_eq!(answers[1], Published::NotTried);
}
