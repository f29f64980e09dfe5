//! Pages of jobs, where chunks are made by the store.

use std::time::Duration;

use dipmo_outbox::{Delivery, UnitResult};
use dipmo_store_tests::support::{
    begin, dispatched, failure, ids_of, intent, kafka, take, write_intents,
};

use crate::folder::Folder;

/// What is let go is ready, or due if it was tried: pages keep the order of a key across both.
#[tokio::test]
async fn pages_keep_the_order_of_what_was_let_go() {
    let folder = Folder::new();
    let store = folder.store().await;
    let ids = write_intents(&store, (0..4).map(|n| intent(&kafka("t"), "F-1", n)).collect()).await;
    let retry = UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") };
    let mut hand = take(&store, &kafka("t"), "a").await;
    let tried = |unit: &Delivery| unit.unit == ids[0] || unit.unit == ids[2];
    let first = |unit: &Delivery| if tried(unit) { retry.clone() } else { UnitResult::Held };
    hand.settle(&store, first).await.unwrap();
    hand.reads_again(&store).await;
    let second = hand.in_order(|_| dispatched());
    hand.settle(&store, |unit| second[&unit.unit].clone()).await.unwrap();
    hand.give_back(&store).await;
    let job = begin(&store, &kafka("t"), "a").await;
    let pages = job.pages(&store, 1).await;
    let units: Vec<_> = pages.into_iter().flat_map(|page| page.units).collect();
    assert_eq!(ids_of(&units), ids[1..]);
}
