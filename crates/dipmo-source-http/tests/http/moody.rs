//! A database that can be told to be away, to refuse, to wait, and to break.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, StoreError};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_store_sqlite::SqliteStore;
use tokio::sync::watch;

/// How it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It does all but take rows of the aggregate `bad`.
    Well,
    /// It answers nothing but errors.
    Away,
    /// It takes no row.
    Refuses,
    /// It does not answer before it is well.
    Waits,
    /// It panics.
    Breaks,
}

pub(crate) struct Moody {
    store: Arc<SqliteStore>,
    pub(crate) mood: watch::Sender<Mood>,
    /// Transactions that began.
    pub(crate) calls: AtomicUsize,
    /// Rows in the largest.
    pub(crate) largest: AtomicUsize,
}

impl Moody {
    pub(crate) fn new(store: &Arc<SqliteStore>, mood: Mood) -> Arc<Self> {
        let (store, mood) = (Arc::clone(store), watch::Sender::new(mood));
        Arc::new(Self { store, mood, calls: AtomicUsize::new(0), largest: AtomicUsize::new(0) })
    }

    fn answers(&self) -> Result<(), StoreError> {
        let problem = "as the test wants".to_owned();
        match *self.mood.borrow() {
            Mood::Away => Err(StoreError::Busy { statement: "any", problem }),
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl Inbox for Moody {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.largest.fetch_max(messages.len(), Ordering::SeqCst);
        let _ = self.mood.subscribe().wait_for(|mood| *mood != Mood::Waits).await;
        self.answers()?;
        let mood = *self.mood.borrow();
        assert_ne!(mood, Mood::Breaks, "as the test wants");
        let bad = |message: &NewMessage| message.aggregate_id.as_deref() == Some("bad");
        if mood == Mood::Refuses || messages.iter().any(bad) {
            let problem = "as the test wants".to_owned();
            return Err(StoreError::RowRefused { statement: "store", problem });
        }
        self.store.store(messages, ranges).await
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
        self.answers()?;
        self.store.whereabouts(keys).await
    }
}
