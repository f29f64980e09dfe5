//! What a broker refuses in the middle of a job.

use std::collections::BTreeSet;

use dipmo_domain::{Destination, Headers};
use dipmo_kafka::testing::{self, options, topic_with, unique_name};
use dipmo_outbox::{JobStep, Published, Publisher as _, Readiness};

use super::desk::Desk;
use super::{committed, deliveries, publisher, publisher_of, until_ended};
use crate::support::{delivery, expected, refused, sized, with_headers};

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_record_holds_its_key_and_the_rest_arrives_once() {
    let topic = topic_with(&options(), "large", 2, &[("max.message.bytes", "100000")]).await;
    let mut all = deliveries(&topic, 1_000);
    all[500] = sized(all[500].clone(), 200_000);
    all[701] = with_headers(all[701].clone(), &Headers::default().with("a\0b", "v"));
    let desk = Desk::new(&all);
    let publisher = publisher();
    until_ended(&publisher, &desk.take()).await;

    let answers = desk.answers();
    assert_eq!(refused(&answers[&500]), "kafka-record-too-large");
    assert_eq!(refused(&answers[&701]), "header-name-invalid");
    let behind = |unit: i64| {
        let heads = [500_usize, 701].map(|head| (&all[head].order_key, head as i64));
        heads.iter().any(|(key, head)| **key == all[unit as usize].order_key && unit > *head)
    };
    let held: BTreeSet<i64> = (0..1_000).filter(|unit| behind(*unit)).collect();
    assert!(held.iter().all(|unit| answers[unit] == Published::NotTried), "{held:?}");
    let left_out: BTreeSet<i64> = held.into_iter().chain([500, 701]).collect();
    assert_eq!(desk.undelivered(), left_out);
    let sent = all.iter().filter(|it| !left_out.contains(&it.unit.0));
    assert_eq!(committed(&topic), expected(sent));
    let transactions = publisher.metrics().snapshot().transactions;
    assert_eq!(transactions.committed, 1);
    assert!(transactions.aborted >= 1, "{transactions:?}");
}

/// A batch of 32 KB is more than this topic takes, and none of its records is.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_is_too_large_is_no_fault_of_its_records() {
    let topic = topic_with(&options(), "small", 1, &[("max.message.bytes", "5000")]).await;
    let large = |unit| sized(delivery(&topic, &format!("key-{unit}"), unit), 1_000);
    let all: Vec<_> = (0..60).map(large).collect();
    let desk = Desk::new(&all);
    until_ended(&publisher(), &desk.take()).await;
    assert_eq!(committed(&topic), expected(&all));
    assert!(desk.undelivered().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_topic_is_refused_for_each_key() {
    let topic = unique_name("nowhere");
    let all = [delivery(&topic, "a", 1), delivery(&topic, "a", 2), delivery(&topic, "b", 3)];
    let desk = Desk::new(&all);
    until_ended(&publisher(), &desk.take()).await;
    let answers = desk.answers();
    for head in [1, 3] {
        assert_eq!(refused(&answers[&head]), "kafka-topic-unknown");
    }
    assert!(!matches!(answers[&2], Published::Delivered { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_may_have_no_transactions_is_told_so_and_nothing_is_tried() {
    let topic = testing::topic("forbidden", 1).await;
    let publisher = publisher_of(testing::secure().as_guest());
    let destination = Destination::Kafka { topic: topic.clone() };
    assert_eq!(publisher.readiness(&destination), Readiness::Ready);
    let desk = Desk::new(&deliveries(&topic, 3));
    let step = publisher.run_job(&desk.take()).await.unwrap();
    assert!(matches!(step, JobStep::Wait(_)), "{step:?}");
    let Readiness::Later { why, .. } = publisher.readiness(&destination) else {
        panic!("it is still tried")
    };
    assert_eq!(why.code(), "kafka-transactions-refused");
    assert!(why.message().contains("authorization failed"), "{}", why.message());
    assert!(desk.answers().is_empty() && committed(&topic).is_empty());
}
