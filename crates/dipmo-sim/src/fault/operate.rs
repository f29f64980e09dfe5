//! The port of operators.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, OutboxId, OutboxStatus, StoreError};
use dipmo_store::{Decoded, Failed, Operate, Operated, Reparsed};
use dipmo_store_memory::MemoryStore;
use futures_util::FutureExt as _;

use crate::fault::Faulty;
use crate::witness;

#[async_trait]
impl Operate for Faulty {
    async fn retry(
        &self,
        messages: &[InboxId],
        force: bool,
    ) -> Result<Operated<InboxStatus>, StoreError> {
        let (sim, name, ids) = (Arc::clone(&self.sim), Arc::clone(&self.name), messages.to_vec());
        let run = move |store: MemoryStore| async move {
            let operated = at_once(store.retry(&ids, force).now_or_never())?;
            witness::retried(&sim, &name, &ids, &operated.acts, force);
            Ok(operated)
        };
        self.call("retry", run).await
    }

    /// Only letters that come back ask for this.
    async fn retry_failed(&self, failed: &[Failed]) -> Result<Operated<InboxStatus>, StoreError> {
        self.sim.store.retry_failed(failed).await
    }

    async fn skip(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError> {
        let (sim, name, ids) = (Arc::clone(&self.sim), Arc::clone(&self.name), messages.to_vec());
        let run = move |store: MemoryStore| async move {
            let operated = at_once(store.skip(&ids).now_or_never())?;
            witness::skipped(&sim, &name, &ids, &operated.acts);
            Ok(operated)
        };
        self.call("skip", run).await
    }

    async fn release_behind(
        &self,
        messages: &[InboxId],
    ) -> Result<Operated<InboxStatus>, StoreError> {
        let (sim, name, ids) = (Arc::clone(&self.sim), Arc::clone(&self.name), messages.to_vec());
        let run = move |store: MemoryStore| async move {
            let operated = at_once(store.release_behind(&ids).now_or_never())?;
            witness::released(&sim, &name, &ids, &operated.acts);
            Ok(operated)
        };
        self.call("release_behind", run).await
    }

    async fn retry_units(
        &self,
        units: &[OutboxId],
        force: bool,
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        let (sim, name, ids) = (Arc::clone(&self.sim), Arc::clone(&self.name), units.to_vec());
        let run = move |store: MemoryStore| async move {
            let operated = store.retry_units(&ids, force).await?;
            witness::retried_units(&sim, &name, &ids, &operated.acts, force);
            Ok(operated)
        };
        self.call("retry_units", run).await
    }

    async fn skip_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError> {
        let (sim, name, ids) = (Arc::clone(&self.sim), Arc::clone(&self.name), units.to_vec());
        let run = move |store: MemoryStore| async move {
            let operated = store.skip_units(&ids).await?;
            witness::skipped_units(&sim, &name, &ids, &operated.acts);
            Ok(operated)
        };
        self.call("skip_units", run).await
    }

    async fn release_behind_units(
        &self,
        units: &[OutboxId],
    ) -> Result<Operated<OutboxStatus>, StoreError> {
        let (sim, name, ids) = (Arc::clone(&self.sim), Arc::clone(&self.name), units.to_vec());
        let run = move |store: MemoryStore| async move {
            let operated = store.release_behind_units(&ids).await?;
            witness::released_units(&sim, &name, &ids, &operated.acts);
            Ok(operated)
        };
        self.call("release_behind_units", run).await
    }

    async fn reparse(
        &self,
        messages: &[Decoded],
        force: bool,
    ) -> Result<Vec<Reparsed>, StoreError> {
        let (sim, name) = (Arc::clone(&self.sim), Arc::clone(&self.name));
        let messages = messages.to_vec();
        let run = move |store: MemoryStore| async move {
            let answers = at_once(store.reparse(&messages, force).now_or_never())?;
            witness::reparsed(&sim, &name, &messages, &answers, force);
            Ok(answers)
        };
        self.call("reparse", run).await
    }
}

/// In the middle of a batch a real database would wait for the lanes of that batch. The call must
/// not wait here: it gives up, and the operator comes back.
fn at_once<T>(called: Option<Result<T, StoreError>>) -> Result<T, StoreError> {
    let waits = || {
        let problem = "a batch has the lane".to_owned();
        Err(StoreError::Busy { statement: "simulated", problem })
    };
    called.unwrap_or_else(waits)
}
