//! The ports of the inbox.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, StoreError};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_store::{BatchLogic, BatchReport, ClaimLimits, Work};

use crate::fault::Faulty;
use crate::fault::watched::{Done, Watched};
use crate::sim::lock;
use crate::witness;

#[async_trait]
impl Work for Faulty {
    async fn process_batch(
        &self,
        limits: ClaimLimits,
        logic: Box<dyn BatchLogic>,
    ) -> Result<(BatchReport, Box<dyn BatchLogic>), StoreError> {
        let done = Arc::new(Mutex::new(Done::default()));
        let logic = Watched { logic, done: Arc::clone(&done), from: self.clone() };
        let (sim, name) = (Arc::clone(&self.sim), Arc::clone(&self.name));
        let run = move |store: dipmo_store_memory::MemoryStore| async move {
            let (report, logic) = store.process_batch(limits, Box::new(logic)).await?;
            if !report.lanes.is_empty() {
                witness::batch(&sim, &name, &lock(&done));
            }
            Ok((report, logic))
        };
        self.call("process_batch", run).await
    }

    async fn release(&self, limit: u32) -> Result<usize, StoreError> {
        let sim = Arc::clone(&self.sim);
        let run = move |store: dipmo_store_memory::MemoryStore| async move {
            // In the middle of a batch a real database would wait for the lanes of that batch. The
            // call must not wait here, so it finds nothing to do; upkeep comes back.
            let count =
                futures_util::FutureExt::now_or_never(store.release(limit)).unwrap_or(Ok(0))?;
            if count > 0 {
                sim.step(format_args!("released {count} messages"));
            }
            Ok(count)
        };
        self.call("release", run).await
    }

    async fn fire_timers(&self, limit: u32) -> Result<usize, StoreError> {
        let (sim, name) = (Arc::clone(&self.sim), Arc::clone(&self.name));
        let run = move |store: dipmo_store_memory::MemoryStore| async move {
            let fired = store.fire_timers(limit).await?;
            if fired > 0 {
                witness::new_messages(&sim, &name);
            }
            Ok(fired)
        };
        self.call("fire_timers", run).await
    }
}

#[async_trait]
impl Inbox for Faulty {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        let (messages, ranges) = (messages.to_vec(), ranges.to_vec());
        let (sim, name) = (Arc::clone(&self.sim), Arc::clone(&self.name));
        let run = move |store: dipmo_store_memory::MemoryStore| async move {
            let stored = store.store(&messages, &ranges).await?;
            witness::new_messages(&sim, &name);
            Ok(stored)
        };
        self.call("store", run).await
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.sim.store.begin(offsets).await
    }

    /// Nobody copies letters back in this world.
    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        self.sim.store.bring_back(letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        self.sim.store.offsets(group).await
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        self.sim.store.whereabouts(keys).await
    }
}
