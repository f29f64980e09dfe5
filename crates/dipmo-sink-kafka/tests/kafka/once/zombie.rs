//! Somebody who lost a job without knowing it, and wants to commit.

use dipmo_kafka::testing;
use dipmo_outbox::{JobStep, Publisher as _};

use super::desk::{Desk, Point};
use super::{committed, deliveries, publisher, until_ended};
use crate::support::expected;

#[tokio::test(flavor = "multi_thread")]
async fn who_wakes_up_right_before_the_commit_commits_nothing() {
    let topic = testing::topic("zombie", 3).await;
    let all = deliveries(&topic, 1_000);
    let desk = Desk::new(&all);
    let (sleeper, successor) = (publisher(), publisher());
    let hand = desk.take_and_stop_at(Point::Given);
    let sleeping = sleeper.run_job(&hand);
    let meanwhile = async {
        hand.stopped().await;
        // All was sent; the successor finds the job given.
        until_ended(&successor, &desk.take()).await;
        hand.go_on();
    };
    let (slept, ()) = tokio::join!(sleeping, meanwhile);
    assert!(matches!(slept, Ok(JobStep::Wait(_))), "{slept:?}");
    assert_eq!(committed(&topic), expected(&all));
    let figures = sleeper.metrics().snapshot();
    assert_eq!((figures.transactions.committed, figures.delivered), (0, 0));
    assert!(figures.failed.contains_key("kafka-client-fatal"), "{:?}", figures.failed);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wakes_up_before_sending_sends_nothing_that_counts() {
    let topic = testing::topic("sleeper", 3).await;
    let all = deliveries(&topic, 1_000);
    let desk = Desk::new(&all);
    let (sleeper, successor) = (publisher(), publisher());
    let hand = desk.take_and_stop_at(Point::Made);
    let sleeping = sleeper.run_job(&hand);
    let meanwhile = async {
        hand.stopped().await;
        until_ended(&successor, &desk.take()).await;
        hand.go_on();
    };
    let (slept, ()) = tokio::join!(sleeping, meanwhile);
    assert!(slept.is_err(), "the units are somebody else's: {slept:?}");
    assert_eq!(committed(&topic), expected(&all));
}
