//! Stress: many workers, many aggregates, chance; each aggregate sees its messages in order.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{InboxStatus, Lane};
use dipmo_inbox::NewMessage;
use dipmo_outbox::{NewIntent, OutboxRow};
use dipmo_store::{ClaimLimits, ClaimedMessage, Store};

use crate::Fixture;
use crate::support::{
    Chance, Orderly, Tracker, done, event, everything, failed, intent, is_full, kafka, retry, rows,
    seeds, stored,
};

/// How much is thrown at the store.
#[derive(Clone, Copy)]
struct Size {
    aggregates: usize,
    messages_each: i64,
    /// How many attempts of a thousand fail.
    failing: usize,
}

/// Messages of one aggregate are decided strictly in order, by four workers on two instances,
/// through retries, failures and batches that are rolled back.
pub async fn trap_14_order_holds_for_every_aggregate<F: Fixture>() {
    let (aggregates, messages_each) = if is_full() { (2_000, 20) } else { (200, 10) };
    order_holds::<F>(Size { aggregates, messages_each, failing: 130 }).await;
}

/// The same behind few heads with long queues, which are let go in steps and held again.
pub async fn trap_12_order_holds_in_long_queues<F: Fixture>() {
    let messages_each = if is_full() { 3_000 } else { 700 };
    order_holds::<F>(Size { aggregates: 3, messages_each, failing: 8 }).await;
}

async fn order_holds<F: Fixture>(size: Size) {
    for seed in seeds() {
        let fixture = F::fresh().await;
        let stores = [fixture.store(), fixture.another().await];
        let tracker = Tracker::default();
        let source = tokio::spawn(source(Arc::clone(&stores[0]), size, Chance::new(seed)));
        let workers: Vec<_> = (0..4)
            .map(|place: u64| {
                let store = Arc::clone(&stores[usize::from(place % 2 == 1)]);
                let chance = Chance::new(seed * 1_000 + place);
                tokio::spawn(worker(store, size, tracker.clone(), chance))
            })
            .collect();
        source.await.unwrap();
        for task in workers {
            task.await.unwrap();
        }
        // What the workers left, because each of them gives up after some idle rounds.
        let mut chance = Chance::new(seed);
        while work(&*stores[0], size, &tracker, everything(), &mut chance).await
            || stores[0].release(1_000).await.unwrap() > 0
        {}

        assert_eq!(tracker.violations(), Vec::<String>::new(), "seed {seed}");
        let total = size.aggregates * usize::try_from(size.messages_each).unwrap();
        assert_eq!(tracker.ended(), total, "seed {seed}");
        intents_are_as_the_messages(&*stores[0], seed).await;
    }
}

/// Every message that was processed has one intent, in the order of its aggregate; no other has.
async fn intents_are_as_the_messages(store: &dyn Store, seed: u64) {
    let mut expected = Vec::new();
    for row in rows(store).await {
        match row.status {
            InboxStatus::Processed => expected.push((row.message.aggregate_id, row.message.id)),
            status => assert_eq!(status, InboxStatus::Failed, "seed {seed}"),
        }
    }
    let mut intents = store.outbox_rows(1_000_000).await.unwrap();
    intents.reverse();
    let caused = |row: OutboxRow| (Some(row.aggregate_id), row.cause.unwrap());
    let mut caused: Vec<_> = intents.into_iter().map(caused).collect();
    // A stable sort: within an aggregate the order of the ids of the intents stays.
    caused.sort_by(|a, b| a.0.cmp(&b.0));
    expected.sort();
    assert_eq!(caused, expected, "seed {seed}");
}

/// Stores all messages, in calls of random sizes.
async fn source(store: Arc<dyn Store>, size: Size, mut chance: Chance) {
    let mut messages: Vec<NewMessage> = Vec::new();
    for number in 1..=size.messages_each {
        for aggregate in 0..size.aggregates {
            messages.push(event(&format!("A-{aggregate}"), number));
        }
    }
    while !messages.is_empty() {
        let count = (1 + chance.below(100)).min(messages.len());
        stored(&*store, &messages.drain(..count).collect::<Vec<_>>()).await;
    }
}

/// Works until nothing was there many times in a row.
async fn worker(store: Arc<dyn Store>, size: Size, tracker: Tracker, mut chance: Chance) {
    let mut idle = 0;
    while idle < 50 {
        let limits = ClaimLimits {
            messages: u32::try_from(1 + chance.below(100)).unwrap(),
            lanes: u8::try_from(1 + chance.below(8)).unwrap(),
            start: Lane::from_index(i64::try_from(chance.below(64)).unwrap()).unwrap(),
        };
        if chance.percent(5) {
            // A batch that is rolled back: what it decided does not count.
            let logic = logic(size, Tracker::default(), Chance::new(chance.number()));
            let result = logic.forgetting_one().run(&*store, limits).await;
            assert!(result.is_err() || result.is_ok_and(|(report, _)| report.messages == 0));
        }
        let found = work(&*store, size, &tracker, limits, &mut chance).await;
        idle = if found { 0 } else { idle + 1 };
        tokio::task::yield_now().await;
    }
}

/// One batch, and now and then a release; false when there was nothing to do.
async fn work(
    store: &dyn Store,
    size: Size,
    tracker: &Tracker,
    limits: ClaimLimits,
    chance: &mut Chance,
) -> bool {
    let logic = logic(size, tracker.clone(), Chance::new(chance.number()));
    let (report, _) = logic.run(store, limits).await.unwrap();
    let let_go = if chance.percent(20) { store.release(20).await.unwrap() } else { 0 };
    report.messages > 0 || let_go > 0
}

fn logic(size: Size, tracker: Tracker, mut chance: Chance) -> Orderly {
    let verdict = move |claimed: &ClaimedMessage| {
        let kind = match chance.below(1_000) {
            fate if fate >= size.failing => done(),
            fate if fate % 4 == 0 => failed(false),
            _ => retry(Duration::ZERO),
        };
        tracker.decide(claimed, kind)
    };
    Orderly::new(verdict).writing(|claimed| {
        let message = &claimed.message;
        let aggregate = message.aggregate_id.as_deref().unwrap();
        let cause = Some(message.id);
        vec![NewIntent { cause, ..intent(&kafka("t"), aggregate, message.offset) }]
    })
}
