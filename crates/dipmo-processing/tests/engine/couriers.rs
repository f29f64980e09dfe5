//! Lanes among couriers: nobody waits behind a busy lane, and who is busy shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Failure, OutboxStatus};
use dipmo_outbox::{Delivery, OutboxRow, Published, Publisher};
use dipmo_processing::{DispatchOptions, EngineOptions, RetryPolicy};

use crate::rig::{Rig, Running, start, step};
use crate::script::Step;

/// Delivers everything but "BUSY", which is due again at once, for ever.
#[derive(Default)]
struct Endless {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Publisher for Endless {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        self.most.fetch_max(1 + self.now.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(1)).await;
        self.now.fetch_sub(1, Ordering::Relaxed);
        let again = |it: &Delivery| match it.aggregate_id.as_str() {
            "BUSY" => Published::Retry {
                failure: Failure::new("BUSY", "not now"),
                after: Some(Duration::ZERO),
            },
            _ => Published::delivered(),
        };
        deliveries.iter().map(again).collect()
    }
}

/// One courier, whose turn never ends.
fn options(lanes: u8, units: u32) -> EngineOptions {
    let backoff = "fixed(1s, 1000000)".parse().unwrap();
    let dispatch = DispatchOptions {
        couriers: 1,
        lanes,
        units: Some(units),
        turn: Duration::from_secs(3_600),
        retry: RetryPolicy { backoff, ..RetryPolicy::default() },
        ..DispatchOptions::default()
    };
    EngineOptions { dispatch, ..EngineOptions::default() }
}

async fn store(rig: &Rig, aggregates: &[&str], first: i64) {
    let tell = || Step { tell: vec!["KAFKA:t".to_owned()], ..Step::default() };
    let numbered = (first..).zip(aggregates);
    let messages: Vec<_> = numbered.map(|(n, aggregate)| step(aggregate, n, tell())).collect();
    rig.store(&messages).await;
}

/// Waits until all but the endless one are delivered.
async fn until_delivered(rig: &Rig, count: usize) {
    let delivered = async {
        loop {
            let rows = rig.outbox().await;
            let done = |row: &&OutboxRow| row.status == OutboxStatus::Dispatched;
            if rows.iter().filter(done).count() >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), delivered).await.expect("a lane is starved");
}

fn run(rig: &Rig, options: EngineOptions, publisher: &Arc<Endless>) -> Running {
    start(rig.engine(options).publisher("KAFKA:*", Arc::<Endless>::clone(publisher)))
}

#[tokio::test(start_paused = true)]
async fn a_courier_with_room_takes_more_lanes() {
    let (rig, publisher) = (Rig::new().await, Arc::default());
    store(&rig, &["BUSY"], 1).await;
    let running = run(&rig, options(1, 100), &publisher);
    tokio::time::sleep(Duration::from_secs(1)).await;
    store(&rig, &["B", "C", "D"], 2).await;
    until_delivered(&rig, 3).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_courier_with_enough_to_do_gives_lanes_to_others() {
    let (rig, publisher) = (Rig::new().await, Arc::<Endless>::default());
    store(&rig, &["BUSY", "B", "C"], 1).await;
    let first = run(&rig, options(1, 2), &publisher);
    until_delivered(&rig, 2).await;
    // With little to do it took all three lanes, and its turn never ends.
    let second = run(&rig, options(1, 2), &publisher);
    store(&rig, &["B", "C"].repeat(20), 10).await;
    until_delivered(&rig, 42).await;
    assert_eq!(publisher.most.load(Ordering::Relaxed), 2, "the other had nothing to do");
    first.stop().await;
    second.stop().await;
}
