//! Messages that are strange, large, or many.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Delivery, Published, Publisher};
use dipmo_processing::EngineOptions;

use crate::parts::books;
use crate::parts::engine::{ECHO, Running, STRICT, engine};
use crate::parts::place::Place;
use crate::parts::sent::Sent;
use crate::parts::step::Step;

/// Remembers the steps that it was told.
#[derive(Default)]
struct Memory(Mutex<Vec<Step>>);

#[async_trait]
impl Publisher for Memory {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let steps = deliveries.iter().map(|delivery| delivery.payload.read().unwrap());
        self.0.lock().unwrap().extend(steps);
        deliveries.iter().map(|_| Published::delivered()).collect()
    }

    fn keeps_order(&self) -> bool {
        true
    }
}

/// Stores, works until nothing is left, and checks the books; answers what was delivered.
async fn all_is_taken(place: &Place, messages: &[NewMessage], sent: &Sent) -> Vec<Step> {
    let store = place.store().await;
    for call in messages.chunks(5_000) {
        store.store(call, &[]).await.unwrap();
    }
    let memory = Arc::new(Memory::default());
    let running = Running::start(engine(store, EngineOptions::default(), STRICT, memory.clone()));
    books::until_drained(place).await;
    running.stop().await;
    books::check(place, sent).await;
    std::mem::take(&mut memory.0.lock().unwrap())
}

async fn strange_and_large(place: &Place) {
    let texts = [
        "\0".to_owned(),
        "a\0b\u{1}\u{7f}\u{2028}\u{feff}\u{10ffff}'\"\\; drop table inbox".to_owned(),
        "x".repeat(1 << 20),
        "\0".repeat(1 << 18),
    ];
    let mut sent = Sent::default();
    let step = |text: &String| Step {
        text: text.clone(),
        tell: [STRICT, ECHO].map(str::to_owned).to_vec(),
        ..Step::default()
    };
    let messages: Vec<_> = texts.iter().map(|text| sent.next("A", step(text))).collect();
    let delivered = all_is_taken(place, &messages, &sent).await;
    let delivered: Vec<_> = delivered.into_iter().map(|step| step.text).collect();
    assert!(delivered == texts, "not a character was changed, and all in order");
}

async fn many_aggregates_and_a_hot_one(place: &Place) {
    let mut sent = Sent::default();
    let mut messages: Vec<_> =
        (0..10_000).map(|n| sent.next(&format!("A-{n}"), Step::default())).collect();
    messages.extend((0..20_000).map(|_| sent.next("HOT", Step::default())));
    all_is_taken(place, &messages, &sent).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_4_strange_and_large_messages_on_postgres() {
    strange_and_large(&Place::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_4_strange_and_large_messages_on_sqlite() {
    strange_and_large(&Place::sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_aggregates_and_a_hot_one_on_postgres() {
    many_aggregates_and_a_hot_one(&Place::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_aggregates_and_a_hot_one_on_sqlite() {
    many_aggregates_and_a_hot_one(&Place::sqlite().await).await;
}
