//! Gone between storing and answering: repeating the request takes effect once.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, StoreError};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_store_sqlite::SqliteStore;
use tokio::sync::Notify;

use crate::rig::{Answer, Folder, Running, options, rows};

/// Stores, and is never heard of again.
struct Deaf {
    store: Arc<SqliteStore>,
    stored: Notify,
}

#[async_trait]
impl Inbox for Deaf {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        self.store.store(messages, ranges).await?;
        self.stored.notify_one();
        std::future::pending().await
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.store.begin(offsets).await
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        self.store.bring_back(letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        self.store.offsets(group).await
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        self.store.whereabouts(keys).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_stored_and_not_answered_is_answered_when_it_comes_again() {
    let folder = Folder::new();
    let store = folder.store().await;
    let deaf = Arc::new(Deaf { store: Arc::clone(&store), stored: Notify::new() });
    let running = Running::new(options(), Arc::clone(&deaf) as _).await;
    let body = r#"{"orderId":"O-1"}"#;
    let request = tokio::spawn(running.post("/orders/publish", Some("K-1"), body).send());
    deaf.stored.notified().await;
    running.task.abort();
    assert!(running.task.await.is_err());
    assert!(request.await.unwrap().is_err(), "nobody is left to answer");

    let running = Running::new(options(), Arc::clone(&store) as _).await;
    let answer = Answer::to(running.post("/orders/publish", Some("K-1"), body)).await;
    assert_eq!((answer.status, answer.header("idempotency-replayed")), (202, Some("true")));
    assert_eq!(rows(&store).await.len(), 1);
    running.stop().await;
}
