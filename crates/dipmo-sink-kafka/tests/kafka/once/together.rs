//! A job that nobody disturbs.

use std::collections::BTreeSet;

use dipmo_domain::Destination;
use dipmo_kafka::testing;
use dipmo_outbox::{JobStep, Published, Publisher as _};
use dipmo_sink_kafka::KafkaSinkOptions;

use super::desk::Desk;
use super::{committed, deliveries, publisher, until_ended};
use crate::support::{delivery, expected};

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_a_transaction_and_arrives_once_and_in_order() {
    let topic = testing::topic("once", 6).await;
    let all = deliveries(&topic, 4_500);
    let (publisher, desk) = (publisher(), Desk::new(&all));
    until_ended(&publisher, &desk.take()).await;
    assert_eq!(committed(&topic), expected(&all));
    assert_eq!(desk.undelivered(), BTreeSet::new());

    let figures = publisher.metrics().snapshot();
    assert_eq!((figures.delivered, figures.latency.count(), figures.in_flight), (4_500, 4_500, 0));
    assert_eq!((figures.transactions.committed, figures.transactions.aborted), (1, 0));
    assert!(figures.failed.is_empty(), "{:?}", figures.failed);
}

/// A dispatcher makes slices of what is in no job; here that would be a second way to the topic.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_goes_out_but_in_a_job() {
    let topic = testing::topic("slices", 1).await;
    let publisher = publisher();
    let plan = publisher.job_plan(&Destination::Kafka { topic: topic.clone() }).unwrap();
    assert_eq!(plan.least, 1);
    let answers = publisher.publish(&[delivery(&topic, "a", 1)]).await;
    assert_eq!(answers, [Published::NotTried]);
    assert!(committed(&topic).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_was_only_sealed_is_let_go_when_there_are_no_more_transactions() {
    let topic = testing::topic("off", 1).await;
    let without = dipmo_sink_kafka::KafkaPublisher::new(KafkaSinkOptions::new(testing::options()));
    let desk = Desk::new(&deliveries(&topic, 3));
    assert_eq!(without.unwrap().run_job(&desk.take()).await.unwrap(), JobStep::Ended);
    assert!(desk.answers().is_empty() && committed(&topic).is_empty());
}
