//! A store call costs the same number of round trips whatever its batch.

use std::sync::Arc;

use crate::support::database::Database;
use crate::support::proxy::Proxy;
use crate::support::server::Server;
use dipmo_inbox::{Body, NewMessage};
use dipmo_outbox::{Delivery, UnitResult};
use dipmo_store::{BeginJob, Changes, JobChange, Needs, Settlement, Store};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::suite_tables;
use dipmo_store_tests::support::{
    JobHand, Script, batch, dispatch_all, dispatched, done, event, failed, failure, intent, kafka,
    new_state, suite_key, take, write_intents,
};

/// A store behind a proxy, on one thread: what is pipelined leaves in one piece.
pub(crate) async fn store() -> (Database, Proxy, Arc<dyn Store>) {
    let database = Database::create(Server(15)).await;
    let url = database.url();
    let (head, tail) = url.rsplit_once('@').unwrap();
    let (server, name) = tail.split_once('/').unwrap();
    let proxy = Proxy::start(server.to_owned()).await;
    let options = PostgresOptions {
        connections: 1,
        // What others are told is on a connection of its own, at times of its own.
        notify: false,
        ..PostgresOptions::new(&format!("{head}@127.0.0.1:{}/{name}", proxy.port))
    };
    let store = PostgresStore::connect(&options).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    (database, proxy, Arc::new(store))
}

pub(crate) fn events(first: i64, count: i64) -> Vec<NewMessage> {
    (first..first + count).map(|n| event(&format!("A-{n}"), n)).collect()
}

/// Processes everything that waits: a state, an intent and a settlement for each message.
fn full_work() -> Script {
    Script::default().wave(
        |batch| Needs {
            states: batch.messages.iter().map(|m| suite_key(&m.message.message_id)).collect(),
            blocks: batch.messages.iter().filter_map(|m| m.message.order_key()).collect(),
            ..Needs::default()
        },
        |batch, _| Changes {
            states: batch.messages.iter().map(|m| new_state(&m.message.message_id)).collect(),
            intents: batch
                .messages
                .iter()
                .map(|m| intent(&kafka("t"), &m.message.message_id, m.message.offset))
                .collect(),
            settlements: batch
                .messages
                .iter()
                .map(|m| Settlement { message: m.message.id, kind: done() })
                .collect(),
            ..Changes::default()
        },
    )
}

/// The round trips of messages on their way: store, process_batch, lease + read, settle.
async fn way(proxy: &Proxy, store: &dyn Store, first: i64, count: i64) -> [usize; 4] {
    proxy.take();
    store.store(&events(first, count), &[]).await.unwrap();
    let stored = proxy.take();
    let ran = batch(store, full_work()).await.unwrap();
    assert_eq!(ran.messages.len(), usize::try_from(count).unwrap());
    let processed = proxy.take();
    let hand = take(store, &kafka("t"), "o").await;
    let read = proxy.take();
    hand.settle(store, |_| dispatched()).await.unwrap();
    let settled = proxy.take();
    hand.give_back(store).await;
    [stored, processed, read, settled]
}

#[tokio::test(flavor = "current_thread")]
async fn the_whole_way_costs_the_same_for_one_message_and_for_nine_hundred() {
    let (_database, proxy, store) = store().await;
    // The first round connects, and prepares what its process needs.
    way(&proxy, &*store, 0, 10).await;
    let (one, many) =
        (way(&proxy, &*store, 1_000, 1).await, way(&proxy, &*store, 2_000, 900).await);
    assert_eq!(one, many);
    assert_eq!(one, [2, 4, 3, 1]);
}

#[tokio::test(flavor = "current_thread")]
async fn the_first_message_on_a_connection_waits_for_nothing_but_what_its_process_needs() {
    let (_database, proxy, store) = store().await;
    store.due_destinations().await.unwrap();
    let [stored, processed, read, settled] = way(&proxy, &*store, 0, 1).await;
    assert_eq!([stored, read, settled], [2, 3, 1], "prepared when the connection was made");
    assert_eq!(processed, 4 + 2, "instances are read, and written");
}

#[tokio::test(flavor = "current_thread")]
async fn duplicates_cost_one_round_trip_more_however_many() {
    let (_database, proxy, store) = store().await;
    let mut trips = Vec::new();
    for (first, count) in [(0, 10), (1_000, 1), (2_000, 900)] {
        store.store(&events(first, count), &[]).await.unwrap();
        proxy.take();
        store.store(&events(first, count), &[]).await.unwrap();
        trips.push(proxy.take());
    }
    assert_eq!(trips[1..], [3, 3]);
}

#[tokio::test(flavor = "current_thread")]
async fn letters_cost_one_round_trip_more_however_many() {
    let (_database, proxy, store) = store().await;
    let poison = |message: NewMessage| NewMessage {
        body: Body::Undecodable { base64: "/w==".to_owned(), failure: failure("poison") },
        mirrored_to: Some(kafka("letters")),
        ..message
    };
    let mut trips = Vec::new();
    for (first, count) in [(0, 10), (1_000, 1), (2_000, 900)] {
        let messages: Vec<_> = events(first, count).into_iter().map(poison).collect();
        proxy.take();
        store.store(&messages, &[]).await.unwrap();
        trips.push(proxy.take());
    }
    assert_eq!(trips[1..], [3, 3]);
}

#[tokio::test(flavor = "current_thread")]
async fn failures_cost_no_round_trip_more_however_many() {
    let (_database, proxy, store) = store().await;
    let mut trips = Vec::new();
    for (first, count) in [(0, 10), (1_000, 1), (2_000, 900)] {
        store.store(&events(first, count), &[]).await.unwrap();
        proxy.take();
        batch(&*store, Script::settling(|_| failed(false))).await.unwrap();
        let failed = proxy.take();
        write_intents(&*store, vec![intent(&kafka("t"), "A", first)]).await;
        let hand = take(&*store, &kafka("t"), "o").await;
        proxy.take();
        let refused = || UnitResult::Failed { failure: failure("refused"), block: false };
        hand.settle(&*store, |_| refused()).await.unwrap();
        trips.push([failed, proxy.take()]);
        hand.give_back(&*store).await;
    }
    assert_eq!(trips[1..], [[4, 1]; 2], "as where all goes well");
}

#[tokio::test(flavor = "current_thread")]
async fn an_empty_claim_costs_two() {
    let (_database, proxy, store) = store().await;
    batch(&*store, Script::process_all()).await.unwrap();
    proxy.take();
    batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(proxy.take(), 2, "lock, and give up");
}

/// The round trips of a job: begun, made, a page, part of it settled, released, ended.
async fn job(proxy: &Proxy, store: &dyn Store, first: i64, count: i64) -> [usize; 6] {
    store.store(&events(first, count), &[]).await.unwrap();
    batch(store, full_work()).await.unwrap();
    let hand = take(store, &kafka("t"), "o").await;
    proxy.take();
    let begin = BeginJob { leases: &hand.leases, least: 1, most: 10_000 };
    let begun = store.begin_job(begin).await.unwrap().unwrap();
    let began = proxy.take();
    let job = JobHand::of(begun, "o");
    job.change(store, JobChange::Made { remote: "r".to_owned() }).await.unwrap();
    let made = proxy.take();
    let units = job.page(store, None, 10_000).await.units;
    assert_eq!(units.len(), usize::try_from(count).unwrap());
    let read = proxy.take();
    let stays = |unit: &Delivery| unit.unit.0 % 2 == 0;
    let result = |unit: &Delivery| match stays(unit) {
        true => UnitResult::InJob(job.id()),
        false => dispatched(),
    };
    job.hand(units).settle(store, result).await.unwrap();
    let settled = proxy.take();
    job.change(store, JobChange::Released { behind: None }).await.unwrap();
    let released = proxy.take();
    job.change(store, JobChange::Ended).await.unwrap();
    let ended = proxy.take();
    job.give_back(store).await;
    dispatch_all(store, &kafka("t")).await;
    [began, made, read, settled, released, ended]
}

#[tokio::test(flavor = "current_thread")]
async fn a_job_costs_the_same_for_one_unit_and_for_nine_hundred() {
    let (_database, proxy, store) = store().await;
    job(&proxy, &*store, 0, 10).await;
    let (one, many) =
        (job(&proxy, &*store, 1_000, 1).await, job(&proxy, &*store, 2_000, 900).await);
    assert_eq!(one, many);
    assert_eq!(one, [1, 1, 4, 1, 1, 1]);
}
