//! Which slot serves which job.

use dipmo_kafka::testing;
use dipmo_outbox::Publisher as _;

use super::desk::{Desk, Point, killed_at};
use super::{committed, deliveries, publisher, until_ended};
use crate::support::{delivery, expected, sized};

#[tokio::test(flavor = "multi_thread")]
async fn a_slot_serves_one_job_after_the_other_also_after_it_was_taken_over() {
    let topic = testing::topic("slots", 2).await;
    let all = deliveries(&topic, 900);
    let publisher = publisher();
    let mut names = Vec::new();
    for some in all.chunks(300) {
        let desk = Desk::new(some);
        if names.len() == 1 {
            // Dropped in the middle, and taken over by the same instance.
            let hand = desk.take_and_stop_at(Point::BeforeAnswer);
            killed_at(&hand, publisher.run_job(&hand)).await;
        }
        until_ended(&publisher, &desk.take()).await;
        names.push(desk.job().remote.unwrap());
    }
    assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
    assert!(names[0].starts_with("dipmo-outbox-"), "{names:?}");
    assert_eq!(committed(&topic), expected(&all));
}

/// Its producer sends one record a batch and is not kept, but the brokers keep its name for days.
#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_slot_for_large_records_serves_the_next_job_too() {
    let topic =
        testing::topic_with(&testing::options(), "large", 1, &[("max.message.bytes", "20000")])
            .await;
    let publisher = publisher();
    let mut names = Vec::new();
    for job in 0..2 {
        let units =
            (0..6).map(|unit| sized(delivery(&topic, &format!("{unit}"), job * 6 + unit), 9_000));
        let desk = Desk::new(&units.collect::<Vec<_>>());
        until_ended(&publisher, &desk.take()).await;
        assert!(desk.undelivered().is_empty(), "{:?}", desk.answers());
        names.push(desk.job().remote.unwrap());
    }
    assert_eq!(names[0], names[1]);
    let aborted = publisher.metrics().snapshot().transactions.aborted;
    assert!(aborted > 0, "they were too large in company");
}

/// The marker of one topic says nothing about another.
#[tokio::test(flavor = "multi_thread")]
async fn one_slot_serves_several_topics() {
    let publisher = publisher();
    for _ in 0..3 {
        let topic = testing::topic("several", 1).await;
        let all = deliveries(&topic, 50);
        let desk = Desk::new(&all);
        let hand = desk.take_and_stop_at(Point::Answered);
        killed_at(&hand, publisher.run_job(&hand)).await;
        until_ended(&publisher, &desk.take()).await;
        assert_eq!(committed(&topic), expected(&all));
    }
}
