//! Order on the way out: per destination and record, through retries and releases (trap 23).

use std::time::Duration;

use dipmo_domain::{OutboxId, OutboxStatus};
use dipmo_outbox::{Delivery, UnitResult};
use dipmo_store::Store;

use crate::Fixture;
use crate::support::{
    Hand, LONG, dispatch_all, dispatched, failure, intent, kafka, take, write_intents,
};

pub(super) fn retry(after: Duration) -> UnitResult {
    UnitResult::Retry { after, failure: failure("busy") }
}

/// So many intents of one key; the first is retried at once, the others are held behind it.
pub(super) async fn held_behind_a_head(store: &dyn Store, held: usize) -> (Hand, Vec<OutboxId>) {
    let last = i64::try_from(held).unwrap();
    let intents = (0..=last).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    let ids = write_intents(store, intents).await;
    let head = ids[0];
    let mut hand = take(store, &kafka("t"), "o").await;
    let result = |unit: &Delivery| {
        if unit.unit == head { retry(Duration::ZERO) } else { UnitResult::Held }
    };
    hand.settle(store, result).await.unwrap();
    hand.reads_again(store).await;
    (hand, ids)
}

pub(super) fn units(hand: &Hand) -> Vec<OutboxId> {
    hand.units.iter().map(|unit| unit.unit).collect()
}

/// Held units are not read, and show what they wait for.
pub async fn held_units_wait<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, ids) = held_behind_a_head(&*store, 2).await;
    assert_eq!(units(&hand), [ids[0]], "only the head is due");
    let rows = store.outbox_rows(2).await.unwrap();
    for row in rows {
        assert_eq!((row.status, row.attempts), (OutboxStatus::Pending, 0));
        assert_eq!((row.held_behind, row.next_attempt_at), (Some(ids[0]), None));
    }
}

/// Trap 23: what is written while the head waits says what it waits for, to whoever reads it.
pub async fn trap_23_a_new_unit_says_what_it_waits_for<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (mut hand, mut ids) = held_behind_a_head(&*store, 1).await;
    hand.settle(&*store, |_| retry(LONG)).await.unwrap();
    hand.give_back(&*store).await;
    let new = ["F-1", "F-2"].map(|name| intent(&kafka("t"), name, 9));
    ids.extend(write_intents(&*store, new.to_vec()).await);
    let elsewhere = write_intents(&*store, vec![intent(&kafka("u"), "F-1", 1)]).await;

    // Another dispatcher, which knows nothing of the first one.
    let another = fixture.another().await;
    hand = take(&*another, &kafka("t"), "b").await;
    assert_eq!(units(&hand), ids[2..]);
    assert_eq!((hand.units[0].blocked_by, hand.units[1].blocked_by), (Some(ids[0]), None));
    let other = take(&*another, &kafka("u"), "b").await;
    assert_eq!((units(&other), other.units[0].blocked_by), (elsewhere, None));

    let sends = hand.in_order(|_| dispatched());
    hand.settle(&*another, |unit| sends[&unit.unit].clone()).await.unwrap();
    let row = store.outbox_rows(3).await.unwrap().pop().unwrap();
    assert_eq!((row.id, row.held_behind, row.attempts), (ids[2], Some(ids[0]), 0));
}

/// The head itself waits for nobody.
pub async fn the_head_waits_for_nobody<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (hand, ids) = held_behind_a_head(&*store, 1).await;
    assert_eq!((hand.units[0].unit, hand.units[0].blocked_by), (ids[0], None));
}

/// A unit that was put off is not overtaken either.
pub async fn a_unit_that_was_put_off_is_not_overtaken<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    hand.settle(&*store, |_| UnitResult::Later).await.unwrap();
    ids.extend(write_intents(&*store, vec![intent(&kafka("t"), "F-1", 2)]).await);
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids);
    let blocked: Vec<_> = hand.units.iter().map(|unit| unit.blocked_by).collect();
    assert_eq!(blocked, [None, Some(ids[0])]);
    hand.give_back(&*store).await;
    let sent: Vec<_> =
        dispatch_all(&*store, &kafka("t")).await.iter().map(|unit| unit.unit).collect();
    assert_eq!(sent, ids);
}

/// When the head is through, the held ones go on in order, untried.
pub async fn the_held_go_on_in_order<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (mut hand, ids) = held_behind_a_head(&*store, 3).await;
    let report = hand.settle(&*store, |_| dispatched()).await.unwrap();
    assert!(!report.releasing);
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids[1..]);
    hand.settle(&*store, |_| dispatched()).await.unwrap();
    let rows = store.outbox_rows(10).await.unwrap();
    assert!(rows.iter().all(|row| row.status == OutboxStatus::Dispatched));
    assert!(rows[..3].iter().all(|row| row.attempts == 1), "being held is no attempt");
    assert_eq!(store.release_units(10).await, Ok(0));
}

/// A head that failed and blocks keeps the others; one that does not block lets them go.
pub async fn a_failed_head_blocks_or_not<F: Fixture>() {
    for block in [true, false] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        let (mut hand, ids) = held_behind_a_head(&*store, 2).await;
        let failed = |_: &_| UnitResult::Failed { failure: failure("refused"), block };
        hand.settle(&*store, failed).await.unwrap();
        assert_eq!(store.release_units(10).await, Ok(0), "let go at once, or not at all");
        hand.reads_again(&*store).await;
        let expected = if block { &[] } else { &ids[1..] };
        assert_eq!(units(&hand), expected, "block: {block}");
        let held_behind = store.outbox_rows(1).await.unwrap()[0].held_behind;
        assert_eq!(held_behind, block.then_some(ids[0]));
    }
}

/// A retry of one key leaves other keys, and the same key elsewhere, alone.
pub async fn only_the_same_key_at_the_same_destination_waits<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let intents = vec![
        intent(&kafka("t"), "F-1", 1),
        intent(&kafka("t"), "F-1", 2),
        intent(&kafka("t"), "F-2", 1),
        intent(&kafka("u"), "F-1", 1),
        intent(&kafka("u"), "F-1", 2),
    ];
    let ids = write_intents(&*store, intents).await;
    let result = |unit: &Delivery| match unit.unit {
        id if id == ids[0] => retry(LONG),
        id if id == ids[1] => UnitResult::Held,
        _ => dispatched(),
    };
    take(&*store, &kafka("t"), "o").await.settle(&*store, result).await.unwrap();
    let elsewhere = take(&*store, &kafka("u"), "o").await;
    assert_eq!(units(&elsewhere), ids[3..]);
    // The block of (t, F-1) is not the block of (u, F-1): ending one there lets nobody go here.
    let result = |unit: &Delivery| match unit.unit {
        id if id == ids[3] => retry(Duration::ZERO),
        _ => UnitResult::Held,
    };
    elsewhere.settle(&*store, result).await.unwrap();
    elsewhere.give_back(&*store).await;
    assert_eq!(dispatch_all(&*store, &kafka("u")).await.len(), 2);
    let row = &store.outbox_rows(10).await.unwrap()[3];
    assert_eq!((row.id, row.held_behind), (ids[1], Some(ids[0])));
}

/// A unit that is held in the settlement that ends its head is let go with the others.
pub async fn held_in_the_settlement_that_ends_the_head<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let (mut hand, mut ids) = held_behind_a_head(&*store, 1).await;
    ids.extend(write_intents(&*store, vec![intent(&kafka("t"), "F-1", 9)]).await);
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), [ids[0], ids[2]]);
    let head = ids[0];
    let result = |unit: &Delivery| {
        if unit.unit == head { dispatched() } else { UnitResult::Held }
    };
    hand.settle(&*store, result).await.unwrap();
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids[1..], "nobody is left behind");
}

/// Nobody waits for nothing: without a block, `Held` is refused or the unit stays readable.
pub async fn nobody_is_held_behind_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    // Whether it is an error or not, the unit must not be lost.
    let _ = hand.settle(&*store, |_| UnitResult::Held).await;
    hand.reads_again(&*store).await;
    assert_eq!(units(&hand), ids);
}

/// Of two units that fail at once, the key waits for the earlier one.
pub async fn a_key_waits_for_the_earlier_head<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let intents = (1..=2).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    let ids = write_intents(&*store, intents).await;
    let mut hand = take(&*store, &kafka("t"), "o").await;
    for _ in 0..2 {
        hand.settle(&*store, |_| retry(Duration::ZERO)).await.unwrap();
        hand.reads_again(&*store).await;
        let blocked: Vec<_> = hand.units.iter().map(|unit| unit.blocked_by).collect();
        assert_eq!((units(&hand), blocked), (ids.clone(), vec![None, Some(ids[0])]));
    }
}
