//! Engines that are told to stop while they have much to do.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_outbox::{Delivery, Published, Publisher};

use crate::parts::child::journal;
use crate::parts::engine::{Running, STRICT, engine, hurried, journaling};
use crate::parts::folder::Folder;
use crate::parts::journal::Journal;
use crate::parts::load::Load;
use crate::parts::place::Place;
use crate::parts::{books, deliveries};

/// Takes its time, so that something is being sent at every moment.
struct Slow(Journal);

#[async_trait]
impl Publisher for Slow {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let answers = self.0.publish(deliveries).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        answers
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_under_load_on_postgres_leaves_nothing_behind() {
    leaves_nothing_behind(&Place::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_under_load_on_sqlite_leaves_nothing_behind() {
    leaves_nothing_behind(&Place::sqlite().await).await;
}

async fn leaves_nothing_behind(place: &Place) {
    let (folder, mut load) = (Folder::new(), Load::new(50));
    let store = place.store().await;
    for _ in 0..10 {
        store.store(&load.next(100), &[]).await.unwrap();
    }
    // Nobody could take over a lease that is not given back, not within this test.
    let mut options = hurried();
    options.dispatch.deadline = Duration::from_secs(600);
    options.dispatch.lease = Duration::from_secs(3_600);
    options.dispatch.units = Some(20);
    let file = journal(&folder);
    let slow = Arc::new(Slow(Journal::open(&file)));
    let running = Running::start(engine(store, options, "KAFKA:*", slow));
    until_something_was_sent(&file).await;
    running.stop().await;

    let open = place.rows("select count(*) from outbox_ready").await;
    assert_ne!(open, [["0"]], "it was stopped in the middle");
    let leased = "select LANE from outbox_lane where OWNER is not null";
    assert!(place.rows(leased).await.is_empty(), "leases were not given back");
    let next = Running::start(journaling(place.store().await, &file));
    books::until_drained(place).await;
    next.stop().await;
    books::check(place, &load.sent).await;
    let lines = deliveries::read(&file);
    deliveries::check_both(&lines, &load.sent);
    let units: i64 = 2 * load.sent.telling(STRICT).values().sum::<i64>();
    assert_eq!(lines.len(), usize::try_from(units).unwrap(), "what was sent is not sent again");
}

async fn until_something_was_sent(file: &Path) {
    while deliveries::read(file).is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
