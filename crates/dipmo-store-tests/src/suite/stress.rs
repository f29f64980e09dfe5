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
struct Size {
    aggregates: usize,
    messages_each: i64,
}

fn size() -> Size {
    if is_full() {
        Size { aggregates: 2_000, messages_each: 20 }
    } else {
        Size { aggregates: 200, messages_each: 10 }
    }
}

/// Messages of one aggregate are decided strictly in order, by four workers on two instances,
/// through retries, failures and batches that are rolled back.
pub async fn trap_14_order_holds_for_every_aggregate<F: Fixture>() {
    for seed in seeds() {
        let fixture = F::fresh().await;
        let stores = [fixture.store(), fixture.another().await];
        let tracker = Tracker::default();
        let source = tokio::spawn(source(Arc::clone(&stores[0]), Chance::new(seed)));
        let workers: Vec<_> = (0..4)
            .map(|place: u64| {
                let store = Arc::clone(&stores[usize::from(place % 2 == 1)]);
                tokio::spawn(worker(store, tracker.clone(), Chance::new(seed * 1_000 + place)))
            })
            .collect();
        source.await.unwrap();
        for task in workers {
            task.await.unwrap();
        }
        // What the workers left, because each of them gives up after some idle rounds.
        let mut chance = Chance::new(seed);
        while work(&*stores[0], &tracker, everything(), &mut chance).await
            || stores[0].release(1_000).await.unwrap() > 0
        {}

        assert_eq!(tracker.violations(), Vec::<String>::new(), "seed {seed}");
        let total = size().aggregates * usize::try_from(size().messages_each).unwrap();
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
async fn source(store: Arc<dyn Store>, mut chance: Chance) {
    let mut messages: Vec<NewMessage> = Vec::new();
    for number in 1..=size().messages_each {
        for aggregate in 0..size().aggregates {
            messages.push(event(&format!("A-{aggregate}"), number));
        }
    }
    while !messages.is_empty() {
        let count = (1 + chance.below(100)).min(messages.len());
        stored(&*store, &messages.drain(..count).collect::<Vec<_>>()).await;
    }
}

/// Works until nothing was there many times in a row.
async fn worker(store: Arc<dyn Store>, tracker: Tracker, mut chance: Chance) {
    let mut idle = 0;
    while idle < 50 {
        let limits = ClaimLimits {
            messages: u32::try_from(1 + chance.below(100)).unwrap(),
            lanes: u8::try_from(1 + chance.below(8)).unwrap(),
            start: Lane::from_index(i64::try_from(chance.below(64)).unwrap()).unwrap(),
        };
        if chance.percent(5) {
            // A batch that is rolled back: what it decided does not count.
            let forgets = logic(Tracker::default(), Chance::new(chance.number())).forgetting_one();
            let result = forgets.run(&*store, limits).await;
            assert!(result.is_err() || result.is_ok_and(|(report, _)| report.messages == 0));
        }
        let found = work(&*store, &tracker, limits, &mut chance).await;
        idle = if found { 0 } else { idle + 1 };
        tokio::task::yield_now().await;
    }
}

/// One batch, and now and then a release; false when there was nothing to do.
async fn work(
    store: &dyn Store,
    tracker: &Tracker,
    limits: ClaimLimits,
    chance: &mut Chance,
) -> bool {
    let logic = logic(tracker.clone(), Chance::new(chance.number()));
    let (report, _) = logic.run(store, limits).await.unwrap();
    let let_go = if chance.percent(20) { store.release(20).await.unwrap() } else { 0 };
    report.messages > 0 || let_go > 0
}

fn logic(tracker: Tracker, mut chance: Chance) -> Orderly {
    let verdict = move |claimed: &ClaimedMessage| {
        let kind = match chance.below(100) {
            0..10 => retry(Duration::ZERO),
            10..13 => failed(false),
            _ => done(),
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
