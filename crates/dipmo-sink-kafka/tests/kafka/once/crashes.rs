//! A publisher that is gone at each step of a job, and the next one that goes on.

use dipmo_kafka::testing;
use dipmo_outbox::{JobPhase, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions, Transactions};

use super::desk::{Desk, Point, killed_at};
use super::{committed, deliveries, publisher, until_ended};
use crate::support::expected;

/// What the successor finds, and that everything is there once.
async fn left_at(point: Point, phase: JobPhase) -> Transactions {
    let topic = testing::topic("crash", 3).await;
    // More than are answered for at once.
    let all = deliveries(&topic, 2_500);
    let desk = Desk::new(&all);
    let hand = desk.take_and_stop_at(point);
    let victim = publisher();
    killed_at(&hand, victim.run_job(&hand)).await;
    drop(victim);
    assert_eq!(desk.job().phase, phase);

    let successor = publisher();
    until_ended(&successor, &desk.take()).await;
    assert_eq!(committed(&topic), expected(&all), "{point:?}");
    assert!(desk.undelivered().is_empty());
    successor.metrics().snapshot().transactions
}

#[tokio::test(flavor = "multi_thread")]
async fn left_before_anything_was_sent_it_is_sent_once() {
    let found = left_at(Point::Made, JobPhase::Made).await;
    assert_eq!((found.found_open, found.committed), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn left_when_all_was_sent_nobody_sees_the_first_copies() {
    let found = left_at(Point::BeforeGiven, JobPhase::Made).await;
    assert_eq!((found.found_open, found.committed), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn given_and_not_committed_it_is_sent_again_once() {
    let found = left_at(Point::Given, JobPhase::Given).await;
    assert_eq!((found.found_open, found.committed), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn committed_and_not_answered_for_it_is_not_sent_again() {
    let found = left_at(Point::BeforeAnswer, JobPhase::Given).await;
    assert_eq!((found.found_committed, found.found_open, found.committed), (1, 0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn answered_for_in_part_the_rest_is_answered_for_and_not_sent_again() {
    let found = left_at(Point::Answered, JobPhase::Given).await;
    assert_eq!((found.found_committed, found.found_open, found.committed), (1, 0, 0));
}

/// Whoever turns transactions off has jobs of before.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_begun_as_a_transaction_is_ended_as_one() {
    let topic = testing::topic("off", 1).await;
    let all = deliveries(&topic, 100);
    let desk = Desk::new(&all);
    let hand = desk.take_and_stop_at(Point::BeforeAnswer);
    let victim = publisher();
    killed_at(&hand, victim.run_job(&hand)).await;
    let without = KafkaPublisher::new(KafkaSinkOptions::new(testing::options())).unwrap();
    assert_eq!(without.job_plan(&desk.job().destination), None);
    until_ended(&without, &desk.take()).await;
    assert_eq!(committed(&topic), expected(&all));
}

/// A successor that is gone at the same step, and its successor: the slot goes from hand to hand.
#[tokio::test(flavor = "multi_thread")]
async fn left_again_and_again_it_is_there_once() {
    let topic = testing::topic("again", 2).await;
    let all = deliveries(&topic, 300);
    let desk = Desk::new(&all);
    for point in [Point::Made, Point::BeforeGiven, Point::Given, Point::BeforeAnswer] {
        let hand = desk.take_and_stop_at(point);
        let victim = publisher();
        killed_at(&hand, victim.run_job(&hand)).await;
    }
    let last = publisher();
    until_ended(&last, &desk.take()).await;
    assert_eq!(committed(&topic), expected(&all));
    assert_eq!(last.metrics().snapshot().transactions.found_committed, 1);
}
