//! An inbox for tests: it knows nothing, and says so when it is let.

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, StoreError};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use tokio::sync::Notify;

/// Answers no question about offsets before it is let.
#[derive(Default)]
pub(crate) struct Gated {
    pub(crate) asked: Notify,
    pub(crate) let_go: Notify,
}

#[async_trait]
impl Inbox for Gated {
    async fn store(&self, _: &[NewMessage], _: &[SourceRange]) -> Result<Vec<Stored>, StoreError> {
        Ok(Vec::new())
    }

    async fn begin(&self, _: &[SourceOffset]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn bring_back(&self, _: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        Ok(Vec::new())
    }

    async fn offsets(&self, _: &str) -> Result<Vec<SourceOffset>, StoreError> {
        self.asked.notify_one();
        self.let_go.notified().await;
        Ok(Vec::new())
    }

    async fn whereabouts(&self, _: &[DedupeKey]) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        Ok(Vec::new())
    }
}
