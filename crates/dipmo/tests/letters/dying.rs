//! An instance that dies when it has brought a letter back and not stored that yet.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, InboxStatus, Outcome, StoreError};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_kafka::testing;
use dipmo_store_postgres::PostgresStore;

use crate::rig::{Reading, Rig, Working, read};

/// Brings letters back, and never comes to storing their offsets.
struct Stuck(Arc<PostgresStore>);

#[async_trait]
impl Inbox for Stuck {
    async fn store(&self, _: &[NewMessage], _: &[SourceRange]) -> Result<Vec<Stored>, StoreError> {
        pending().await
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.0.begin(offsets).await
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        self.0.bring_back(letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        self.0.offsets(group).await
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        self.0.whereabouts(keys).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_dying_between_bringing_back_and_the_offset_loses_and_doubles_nothing() {
    let rig = Rig::new().await;
    rig.send(&rig.topic, b"F-1", Some(br#"{"id":"o-1","n":1,"bad":true}"#), &[]);
    rig.flush();
    let working = Working::start(rig.engine("none"));
    let reading = Reading::start(rig.source("shop", &[&rig.topic], "json:/id"));
    let first = rig.until_letters(1).await;
    reading.stop().await;
    rig.send_back(&first);
    let back = rig.beside("-back");
    let stuck = Arc::new(Stuck(Arc::clone(&rig.store)));
    let reading = Reading::start(rig.source_into(stuck, "shop", &[&back], "json:/id"));
    // It is tried again, fails again, and has a second letter; nobody knows that the first was read.
    let both = rig.until_letters(2).await;
    reading.die().await;
    let reading = Reading::start(rig.source("shop", &[&back], "json:/id"));
    let figures = reading.until("read again", |figures| figures.records == 1).await;
    assert_eq!(figures.letters, BTreeMap::from([("left", 1)]), "its failure is over");
    assert_eq!(rig.rows().await[0].status, InboxStatus::Failed);

    rig.mended.store(true, Ordering::SeqCst);
    rig.send_back(&both[1..]);
    let figures = reading.until("brought back", |figures| figures.records == 2).await;
    assert_eq!(figures.letters, BTreeMap::from([("left", 1), ("retried", 1)]));
    rig.until("processed", |rows| rows[0].status == InboxStatus::Processed).await;
    rig.until_delivered().await;
    reading.stop().await;
    working.stop().await;
    let retried: Vec<u32> = rig.letters().iter().map(|it| read(it).ending.retried).collect();
    assert_eq!(retried, [0, 1], "a letter for each failure");
    let rows = rig.rows().await;
    assert_eq!((rows.len(), rows[0].outcome), (1, Some(Outcome::Done)));
    assert_eq!(testing::read_to_end(&rig.beside("-out")).len(), 1);
}
