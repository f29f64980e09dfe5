//! A simulation: many tasks on one thread and the paused clock of tokio. Nothing blocks the thread,
//! and two runs are the same to the letter.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{InboxStatus, Month, OutboxStatus};
use dipmo_inbox::InboxRow;
use dipmo_outbox::OutboxRow;
use dipmo_store::{ClaimLimits, ClaimedMessage, Inspect as _, Store};
use dipmo_store_memory::MemoryStore;
use dipmo_store_tests::suite_tables;
use dipmo_store_tests::support::{
    Orderly, aggregates, dispatch_all, done, event, everything, intent, kafka, retry, stored,
};
use tokio::time::{Instant, sleep};

const EVENTS: i64 = 40;

/// Stores an event of each aggregate every 10 ms.
async fn source(store: Arc<dyn Store>) {
    for number in 0..EVENTS {
        let events: Vec<_> = aggregates(5).iter().map(|name| event(name, number)).collect();
        stored(&*store, &events).await;
        sleep(Duration::from_millis(10)).await;
    }
}

/// Works every few milliseconds, for ever; every seventh message of an aggregate is tried twice.
async fn worker(store: Arc<dyn Store>, pause: u64) {
    let verdict = |claimed: &ClaimedMessage| match (claimed.message.offset % 7, claimed.attempts) {
        (0, 0) => retry(Duration::from_millis(35)),
        _ => done(),
    };
    let sends = |claimed: &ClaimedMessage| {
        let key = claimed.message.aggregate_id.as_deref().unwrap();
        vec![intent(&kafka("t"), key, claimed.message.offset)]
    };
    let limits = ClaimLimits { messages: 4, lanes: 2, ..everything() };
    loop {
        Orderly::new(verdict).writing(sends).run(&*store, limits).await.unwrap();
        store.release(3).await.unwrap();
        sleep(Duration::from_millis(pause)).await;
    }
}

/// Delivers every few milliseconds, for ever.
async fn dispatcher(store: Arc<dyn Store>) {
    loop {
        dispatch_all(&*store, &kafka("t")).await;
        sleep(Duration::from_millis(9)).await;
    }
}

async fn simulate() -> (Vec<InboxRow>, Vec<OutboxRow>) {
    let (start, began) = (Month::new(2026, 1).unwrap().start(), Instant::now());
    let store = Arc::new(MemoryStore::with_clock(move || start.after(began.elapsed())));
    store.migrate(&suite_tables()).await.unwrap();
    let mut tasks = vec![tokio::spawn(source(store.clone()))];
    tasks.extend([3, 4, 7].map(|pause| tokio::spawn(worker(store.clone(), pause))));
    tasks.push(tokio::spawn(dispatcher(store.clone())));
    sleep(Duration::from_secs(5)).await;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    (store.inbox_rows(1_000).await.unwrap(), store.outbox_rows(1_000).await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn two_runs_are_the_same() {
    let (inbox, outbox) = simulate().await;
    assert_eq!(inbox.len(), usize::try_from(5 * EVENTS).unwrap());
    assert!(inbox.iter().all(|row| row.status == InboxStatus::Processed));
    assert_eq!(outbox.len(), inbox.len());
    assert!(outbox.iter().all(|row| row.status == OutboxStatus::Dispatched));
    assert_eq!(simulate().await, (inbox, outbox));
}
