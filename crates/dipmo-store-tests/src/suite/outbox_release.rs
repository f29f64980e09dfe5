//! Releasing units: many are let go in bounded steps, in order, the block lifted last.

use std::time::Duration;

use dipmo_outbox::{Attempt, Delivery, UnitResult};

use super::outbox_hold::{held_behind_a_head, retry, units};
use crate::Fixture;
use crate::support::{dispatch_all, dispatched, intent, kafka, write_intents};

/// More than five hundred are let go in bounded steps, in order.
pub async fn many_are_let_go_in_steps<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (mut hand, ids) = held_behind_a_head(&*store, 720).await;
    assert!(hand.settle(&*store, |_| dispatched()).await.unwrap().releasing);
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids[1..=500]);
    assert_eq!(store.release_units(100).await, Ok(100));
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids[1..=600]);
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    assert_eq!(store.release_units(1_000).await, Ok(120));
    assert_eq!(store.release_units(1_000).await, Ok(0));
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids[601..]);
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    let fresh = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 999)]).await;
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), fresh, "the key is free again");
}

/// While a block is lifted, the let go ones pass, and what is new waits.
pub async fn new_ones_wait_while_a_block_is_lifted<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (mut hand, mut ids) = held_behind_a_head(&*store, 510).await;
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    ids.extend(write_intents(&*store, vec![intent(&kafka("t"), "F-1", 511)]).await);
    hand.reads_again(&*store).await;
    let (last, let_go) = hand.units.split_last().unwrap();
    assert_eq!((last.unit, last.blocked_by), (ids[511], Some(ids[0])));
    assert_eq!(let_go.len(), 500);
    assert!(let_go.iter().all(|unit| unit.blocked_by.is_none()));
    hand.give_back(&*store).await;
    let sent: Vec<_> =
        dispatch_all(&*store, &kafka("t")).await.iter().map(|unit| unit.unit).collect();
    assert_eq!(sent, ids[1..]);
}

/// A released unit that is retried is the new head: what was let go behind it is held again.
pub async fn a_released_unit_is_retried<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (mut hand, ids) = held_behind_a_head(&*store, 600).await;
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    hand.reads_again(&*store).await;
    let bad = ids[250];
    let result = |unit: &Delivery| match unit.unit {
        id if id == bad => retry(Duration::ZERO),
        id if id > bad => UnitResult::Held,
        _ => dispatched(),
    };
    let report = hand.settle(&*store, result).await.unwrap();
    assert!(!report.releasing, "the block is not being lifted any more");
    assert_eq!(store.release_units(1_000).await, Ok(0));
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), [bad]);
    assert_eq!(hand.units[0].attempt, Attempt::Again { attempts: 1, retried: 0 });
    hand.give_back(&*store).await;
    let sent: Vec<_> =
        dispatch_all(&*store, &kafka("t")).await.iter().map(|unit| unit.unit).collect();
    assert_eq!(sent, ids[250..]);
}
