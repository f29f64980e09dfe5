//! Where a request stands, for its client alone; and when a key is forgotten.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Code, Failure, InboxId, Lane, Month, Outcome};
use dipmo_store::{
    BatchLogic, Changes, ClaimLimits, ClaimedBatch, Found, History as _, Needs, Settlement,
    SettlementKind, Store as _, Work as _,
};
use dipmo_store_sqlite::SqliteStore;
use serde_json::json;

use crate::rig::{Answer, Folder, Running, SHOP, TILL, options, rows};

/// Settles all that is ready in one way.
struct All(SettlementKind, Vec<InboxId>);

impl BatchLogic for All {
    fn claimed(&mut self, batch: ClaimedBatch) {
        self.1 = batch.messages.iter().map(|claimed| claimed.message.id).collect();
    }

    fn needs(&mut self) -> Option<Needs> {
        (!self.1.is_empty()).then(Needs::default)
    }

    fn decide(&mut self, _: Found) -> Changes {
        let settle = |message| Settlement { message, kind: self.0.clone() };
        let settlements = std::mem::take(&mut self.1).into_iter().map(settle).collect();
        Changes { settlements, ..Changes::default() }
    }
}

async fn settle(store: &SqliteStore, kind: SettlementKind) {
    let start = Lane::from_index(0).unwrap();
    let limits = ClaimLimits { messages: 100, lanes: Lane::COUNT, start };
    store.process_batch(limits, Box::new(All(kind, Vec::new()))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_followed_from_received_to_its_end() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let mut stand = Vec::new();
    let failure = Failure::coded(Code::new("http-busy"), "a secret of the payload");
    let retry = SettlementKind::Retry { after: Duration::ZERO, failure };
    let answer = Answer::to(running.post("/orders/publish", Some("a/b"), r#"{"orderId":"O-1"}"#));
    let link = answer.await.header("location").unwrap().to_owned();
    for kind in [retry, SettlementKind::Processed(Outcome::Done)] {
        let answer = Answer::to(running.get_as(SHOP, &link)).await;
        assert_eq!(answer.status, 200);
        stand.push(answer.body);
        settle(&store, kind).await;
    }
    stand.push(Answer::to(running.get_as(SHOP, &link)).await.body);
    assert_eq!(
        stand,
        [
            json!({"key": "a/b", "status": "received", "attempts": 0}),
            json!({"key": "a/b", "status": "retrying", "attempts": 1, "error": "http-busy"}),
            json!({"key": "a/b", "status": "processed", "outcome": "done", "attempts": 2}),
        ]
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_posted_it_may_ask() {
    let folder = Folder::new();
    let running = Running::new(options(), folder.store().await as _).await;
    let answer = Answer::to(running.post("/orders/publish", Some("K-1"), r#"{"orderId":"O-1"}"#));
    let link = answer.await.header("location").unwrap().to_owned();
    let others = Answer::to(running.get_as(TILL, &link)).await;
    assert_eq!((others.status, others.code()), (404, "http-request-unknown"));
    let unknown = Answer::to(running.get_as(SHOP, "/orders/publish/requests/K-2")).await;
    assert_eq!(unknown.body, others.body, "nobody learns what others have posted");
    let stranger = Answer::to(running.get_as("somebody-elses-token", &link)).await;
    assert_eq!(stranger.status, 401);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_forgotten_behind_the_horizon_and_not_before() {
    let folder = Folder::new();
    let store = folder.store().await;
    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let post = || Answer::to(running.post("/orders/publish", Some("K-1"), r#"{"orderId":"O-1"}"#));
    assert_eq!(post().await.status, 202);
    settle(&store, SettlementKind::Processed(Outcome::Done)).await;
    let now = store.now().await.unwrap();
    while store.drop_before(Month::of(now).next(), 1_000).await.unwrap().more {}
    assert!(rows(&store).await.is_empty());
    let again = post().await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (202, Some("true")));
    let link = again.header("location").unwrap();
    assert_eq!(Answer::to(running.get_as(SHOP, link)).await.body["status"], "processed");

    let later = now.after(Duration::from_secs(3_600));
    while store.forget_ids_before(later, 1_000).await.unwrap().more {}
    assert_eq!(Answer::to(running.get_as(SHOP, link)).await.status, 404);
    assert_eq!(post().await.header("idempotency-replayed"), None);
    assert_eq!(rows(&store).await.len(), 1);
    running.stop().await;
}
