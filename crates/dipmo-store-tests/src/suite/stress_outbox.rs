//! Stress on the way out: many dispatchers, many records, chance; each record sees its units in
//! order, and none is delivered twice.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Destination, Json, OutboxStatus};
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Delivery, Owner, UnitResult};
use dipmo_store::{LeaseParams, ReadParams, Replies, Store};

use crate::Fixture;
use crate::support::{
    Chance, Hand, LONG, dispatched, event, failure, intent, is_full, kafka, rows, seeds, take,
    write_intents,
};

/// How much is thrown at the store.
#[derive(Clone, Copy)]
struct Size {
    keys: usize,
    units_each: i64,
    /// How many attempts of a thousand fail.
    failing: usize,
}

/// Units of one key are settled strictly in order, by four dispatchers whose leases run out, are
/// lost and given back at random, and none is delivered twice.
pub async fn trap_23_order_holds_for_every_record<F: Fixture>() {
    let keys = if is_full() { 300 } else { 60 };
    order_holds::<F>(Size { keys, units_each: 8, failing: 180 }).await;
}

/// The same behind few heads with long queues, which are let go in steps and held again.
pub async fn trap_23_order_holds_in_long_queues<F: Fixture>() {
    let units_each = if is_full() { 3_000 } else { 700 };
    order_holds::<F>(Size { keys: 3, units_each, failing: 8 }).await;
}

async fn order_holds<F: Fixture>(size: Size) {
    for seed in seeds() {
        let fixture = Arc::new(F::fresh().await);
        let store = fixture.store();
        let destination = kafka("t");
        let numbers: Vec<i64> = (1..=size.units_each).collect();
        for some in numbers.chunks(50) {
            let of = |number: &i64| {
                let number = *number;
                (0..size.keys).map(move |key| intent(&kafka("t"), &format!("K-{key}"), number))
            };
            write_intents(&*store, some.iter().flat_map(of).collect()).await;
        }
        let dispatchers: Vec<_> = (0..4)
            .map(|place: u64| {
                let chance = Chance::new(seed * 1_000 + place);
                tokio::spawn(dispatcher(Arc::clone(&fixture), size, place, chance))
            })
            .collect();
        for task in dispatchers {
            task.await.unwrap();
        }
        fixture.tick().await;
        deliver_the_rest(&*store, &destination).await;
        each_once_in_order(&*store, seed).await;
    }
}

/// Everything has ended, and what was dispatched was so once, in the order of its key.
pub(super) async fn each_once_in_order(store: &dyn Store, seed: u64) {
    let outbox = store.outbox_rows(100_000).await.unwrap();
    let pending = outbox.iter().filter(|row| row.status == OutboxStatus::Pending).count();
    assert_eq!(pending, 0, "seed {seed}");
    let mut expected: Vec<(String, i64)> = outbox
        .iter()
        .filter(|row| row.status == OutboxStatus::Dispatched)
        .map(|row| (row.aggregate_id.clone(), number(&row.payload)))
        .collect();
    expected.sort();
    // The ids of the messages show in which order the settlements committed.
    let inbox = rows(store).await;
    let delivered = inbox.iter().filter(|row| row.message.topic == "suite");
    let mut by_key: Vec<(String, i64)> = delivered
        .map(|row| (row.message.aggregate_id.clone().unwrap(), row.message.offset))
        .collect();
    by_key.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(by_key, expected, "seed {seed}: each once, in order");
}

/// The message that shows that a unit was delivered.
pub(super) fn delivered(unit: &Delivery) -> NewMessage {
    event(&unit.aggregate_id, number(&unit.payload))
}

fn number(payload: &Json) -> i64 {
    let digits: String = payload.as_str().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

async fn settle(
    store: &dyn Store,
    hand: &Hand,
    result: impl FnMut(&Delivery) -> UnitResult,
) -> bool {
    let results = hand.in_order(result);
    let sent = |unit: &&Delivery| matches!(results[&unit.unit], UnitResult::Dispatched { .. });
    let messages: Vec<_> = hand.units.iter().filter(sent).map(delivered).collect();
    let nobody: Replies = Box::new(|_| Vec::new());
    let result = |unit: &Delivery| results[&unit.unit].clone();
    hand.settle_with(store, result, &messages, nobody).await.is_ok()
}

async fn dispatcher<F: Fixture>(fixture: Arc<F>, size: Size, place: u64, mut chance: Chance) {
    let store = fixture.another().await;
    let mut idle = 0;
    while idle < 30 {
        let owner = Owner(format!("dispatcher-{place}"));
        let duration = if chance.percent(30) { Duration::ZERO } else { LONG };
        let lanes = u8::try_from(1 + chance.below(10)).unwrap();
        let destination = kafka("t");
        let params = LeaseParams { owner: owner.clone(), destination, lanes, duration };
        let leases = store.lease(&params).await.unwrap();
        fixture.tick().await;
        let units = u32::try_from(1 + chance.below(40)).unwrap();
        let read = ReadParams { leases: &leases, in_flight: &[], units };
        let units = store.read(read).await.unwrap();
        idle = if units.is_empty() { idle + 1 } else { 0 };
        let hand = Hand { owner, leases, units };
        // One that crashes here settles nothing, and its lease runs out or is given back.
        if chance.percent(85) {
            let result = |_: &Delivery| match chance.below(1_000) {
                fate if fate >= size.failing => dispatched(),
                fate if fate % 4 == 0 => UnitResult::Later,
                fate if fate % 4 == 1 => {
                    UnitResult::Failed { failure: failure("refused"), block: false }
                }
                _ => UnitResult::Retry { after: Duration::ZERO, failure: failure("busy") },
            };
            settle(&*store, &hand, result).await;
        }
        hand.give_back(&*store).await;
        if chance.percent(20) {
            store.release_units(20).await.unwrap();
        }
        tokio::task::yield_now().await;
    }
}

async fn deliver_the_rest(store: &dyn Store, destination: &Destination) {
    loop {
        let hand = take(store, destination, "rest").await;
        assert!(settle(store, &hand, |_| dispatched()).await);
        hand.give_back(store).await;
        if store.release_units(1_000).await.unwrap() == 0 && hand.units.is_empty() {
            break;
        }
    }
}
