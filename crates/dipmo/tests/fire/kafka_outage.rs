//! A broker that dies and comes back, and then stands still for a while, in the middle of all.

use std::time::Duration;

use crate::parts::engine::STRICT;
use crate::parts::load::Load;
use crate::parts::look::until;
use crate::parts::road::Road;
use crate::parts::worker::worked_as_child;

const TEST: &str = "kafka_outage::a_broker_that_dies_and_then_stands_still_loses_nothing";

/// Longer than a publisher waits for it.
const STILL: Duration = Duration::from_secs(4);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_dies_and_then_stands_still_loses_nothing() {
    if worked_as_child().await {
        return;
    }
    let mut road = Road::new(TEST).await;
    let mut load = Load::telling(100, &[STRICT]);
    let children = [road.instance(None), road.instance(None)];
    let look = road.place.look().await;
    let settled = async || look.number("select count(*) from outbox_done").await;

    road.producer.send(&load.next(1_000));
    until("published", async || settled().await > 0).await;
    tokio::task::block_in_place(|| road.broker.kill());
    road.producer.send(&load.next(1_000));
    tokio::task::block_in_place(|| road.broker.restart());

    road.producer.send(&load.next(1_000));
    let before = settled().await;
    until("published again", async || settled().await > before).await;
    road.broker.freeze();
    road.producer.send(&load.next(1_000));
    tokio::time::sleep(STILL).await;
    road.broker.thaw();

    road.until_all_arrived().await;
    for child in children {
        child.stop().await;
    }
    road.check(&load.sent).await;
}
