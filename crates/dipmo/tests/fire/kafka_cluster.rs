//! A cluster of three brokers that loses one of them, always one that leads.

use crate::parts::engine::STRICT;
use crate::parts::load::Load;
use crate::parts::look::until;
use crate::parts::road::{NUMBERS, Road, STRICT_TOPIC};
use crate::parts::worker::worked_as_child;

const TEST: &str = "kafka_cluster::trap_9_24_a_cluster_that_loses_a_leader_loses_no_record";

/// How many are lost, one after the other; three take the controller and the coordinator for sure.
fn losses() -> usize {
    if std::env::var("DIPMO_TEST_FULL").as_deref() == Ok("1") { 3 } else { 1 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_9_24_a_cluster_that_loses_a_leader_loses_no_record() {
    if worked_as_child().await {
        return;
    }
    let mut road = Road::of_three(TEST).await;
    let mut load = Load::telling(100, &[STRICT]);
    let children = [road.instance(None), road.instance(None)];
    let look = road.place.look().await;
    let settled = async || look.number("select count(*) from outbox_done").await;

    for _ in 0..losses() {
        road.producer.send(&load.next(1_000));
        let before = settled().await;
        until("published", async || settled().await > before).await;
        // A node leads a third of every topic: what is read and what is published to both lose one.
        let node = tokio::task::block_in_place(|| road.broker.leader(NUMBERS, 0));
        tokio::task::block_in_place(|| road.broker.kill(node));
        road.producer.send(&load.next(1_000));
        // The two that are left are enough for everything.
        road.until_all_arrived().await;
        road.producer.send(&load.next(1_000));
        tokio::task::block_in_place(|| {
            road.broker.restart(node);
            [NUMBERS, STRICT_TOPIC].iter().for_each(|topic| road.broker.until_in_sync(topic));
        });
    }

    road.until_all_arrived().await;
    for child in children {
        child.stop().await;
    }
    road.check(&load.sent).await;
}
