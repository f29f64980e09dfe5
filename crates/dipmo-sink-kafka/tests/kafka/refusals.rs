//! What a broker refuses for good: the code, its words, and who else is hit.

use std::time::Duration;

use dipmo_domain::Headers;
use dipmo_kafka::testing::{self, options, topic_with, unique_name};
use dipmo_outbox::{Published, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};

use crate::support::{
    delivery, expected, ids_by_key, is_delivered, publisher, refused, sized, with_headers,
};

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_topic_is_refused_until_it_is_there() {
    let topic = unique_name("later");
    let kafka = options().with("topic.metadata.refresh.interval.ms", "200");
    let publisher = KafkaPublisher::new(KafkaSinkOptions::new(kafka)).unwrap();
    let all = [delivery(&topic, "a", 1), delivery(&topic, "a", 2), delivery(&topic, "b", 3)];
    let answers = publisher.publish(&all).await;
    assert_eq!(refused(&answers[0]), "kafka-topic-unknown");
    assert_eq!(answers[1], Published::NotTried);
    assert_eq!(refused(&answers[2]), "kafka-topic-unknown");
    let Published::Refused(failure) = &answers[0] else { unreachable!() };
    assert!(failure.message().contains(&topic), "{}", failure.message());
    assert!(failure.message().contains("Unknown topic"), "{}", failure.message());
    let figures = publisher.metrics().snapshot();
    assert_eq!((figures.failed["kafka-topic-unknown"], figures.in_flight), (2, 0));

    testing::create(&options(), &topic, 1, &[]).await;
    let mut left = all.to_vec();
    let until_it_is_seen = async {
        while !left.is_empty() {
            let mut answers = publisher.publish(&left).await.into_iter();
            left.retain(|_| answers.next().is_some_and(|answer| !is_delivered(&answer)));
        }
    };
    tokio::time::timeout(Duration::from_secs(30), until_it_is_seen).await.unwrap();
    assert_eq!(ids_by_key(&testing::read_to_end(&topic)), expected(&all));
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_24_nothing_of_a_key_goes_out_behind_a_record_that_is_too_large() {
    let topic = topic_with(&options(), "large", 1, &[("max.message.bytes", "100000")]).await;
    let all = [
        delivery(&topic, "a", 1),
        sized(delivery(&topic, "a", 2), 200_000),
        delivery(&topic, "a", 3),
        delivery(&topic, "b", 4),
        sized(delivery(&topic, "a", 5), 90_000),
        sized(delivery(&topic, "b", 6), 90_000),
    ];
    let answers = publisher().publish(&all).await;
    assert!(is_delivered(&answers[0]), "{answers:?}");
    assert_eq!(refused(&answers[1]), "kafka-record-too-large");
    let Published::Refused(failure) = &answers[1] else { unreachable!() };
    assert!(failure.message().contains("Message size too large"), "{}", failure.message());
    assert_eq!(answers[2], Published::NotTried);
    assert_eq!(answers[4], Published::NotTried);
    assert!(is_delivered(&answers[3]) && is_delivered(&answers[5]), "{answers:?}");
    let arrived = [&all[0], &all[3], &all[5]];
    assert_eq!(ids_by_key(&testing::read_to_end(&topic)), expected(arrived));
}

/// A new producer, so that the broker has no sequence number to compare with: what is behind in the
/// same partition would be taken.
#[tokio::test(flavor = "multi_thread")]
async fn the_very_first_record_can_be_refused_and_holds_its_key() {
    let topic = topic_with(&options(), "first", 1, &[("max.message.bytes", "50000")]).await;
    let large = sized(delivery(&topic, "a", 0), 60_000);
    let rest = (1..200).map(|unit| sized(delivery(&topic, "a", unit), 1_000));
    let all: Vec<_> = std::iter::once(large).chain(rest).collect();
    let answers = publisher().publish(&all).await;
    assert_eq!(refused(&answers[0]), "kafka-record-too-large");
    assert!(answers[1..].iter().all(|answer| *answer == Published::NotTried));
    assert!(testing::read_to_end(&topic).is_empty());
}

/// A batch of 32 KB is more than this topic takes, and none of its records is.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_is_too_large_is_no_fault_of_its_records() {
    let topic = topic_with(&options(), "small", 1, &[("max.message.bytes", "5000")]).await;
    let all: Vec<_> = (0..60)
        .map(|unit| {
            let bytes = if unit == 30 { 6_000 } else { 1_000 };
            sized(delivery(&topic, &format!("key-{unit}"), unit), bytes)
        })
        .collect();
    let answers = publisher().publish(&all).await;
    for (unit, answer) in answers.iter().enumerate() {
        if unit == 30 {
            assert_eq!(refused(answer), "kafka-record-too-large");
        } else {
            assert!(is_delivered(answer), "{unit}: {answer:?}");
        }
    }
    assert_eq!(testing::read_to_end(&topic).len(), 59);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_of_900_kb_arrives() {
    let topic = testing::topic("nearly", 1).await;
    let all = [sized(delivery(&topic, "a", 1), 900_000)];
    assert!(publisher().publish(&all).await.iter().all(is_delivered));
    assert_eq!(testing::read_to_end(&topic)[0].value.as_ref().unwrap().len(), 900_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_for_kafka_is_refused() {
    let mut other = delivery("t", "a", 1);
    other.destination = dipmo_domain::Destination::internal();
    assert_eq!(refused(&publisher().publish(&[other]).await[0]), "destination-not-kafka");
    let mut broken = delivery("t", "a", 1);
    broken.headers_json = Some(dipmo_domain::Json::parse(r#"{"a":1}"#).unwrap());
    assert_eq!(refused(&publisher().publish(&[broken]).await[0]), "headers-unreadable");
}

/// librdkafka sends such a name, and gives whoever reads it the part before the NUL.
#[tokio::test(flavor = "multi_thread")]
async fn a_header_whose_name_would_be_read_as_another_is_refused_and_holds_its_key() {
    let topic = testing::topic("names", 1).await;
    let named = |unit, name: &str| {
        let headers = Headers::default().with(name, "v");
        with_headers(delivery(&topic, "a", unit), &headers)
    };
    let all = [named(1, "grüße"), named(2, "a\0b"), named(3, "c")];
    let answers = publisher().publish(&all).await;
    assert!(is_delivered(&answers[0]), "{answers:?}");
    assert_eq!(refused(&answers[1]), "header-name-invalid");
    let Published::Refused(failure) = &answers[1] else { unreachable!() };
    assert!(failure.message().contains(r#""a\0b""#), "{}", failure.message());
    assert_eq!(answers[2], Published::NotTried);
    let arrived = testing::read_to_end(&topic);
    assert_eq!((arrived.len(), arrived[0].headers.text("grüße")), (1, Some("v")));
}
