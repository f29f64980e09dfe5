//! Dropping history by month, without forgetting who was here or losing what is not settled.

use async_trait::async_trait;
use dipmo_domain::{Month, StoreError, Timestamp};

/// What was dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Rows that are gone, where the store counts them; a dropped partition counts its rows.
    pub rows: u64,
    /// Messages and intents that were not settled, and were carried over.
    pub carried: u64,
    /// True when more is left to do: call again.
    pub more: bool,
}

/// History: settled messages and intents of past months, and the dedupe ids that outlive them.
#[async_trait]
pub trait History: Send + Sync {
    /// Makes room for the current month and so many after it. Harmless to repeat.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn prepare_months(&self, ahead: u8) -> Result<(), StoreError>;

    /// Drops the settled messages and intents of all months before `month`; at most `limit` rows
    /// a call where the store deletes rows. Nothing unsettled is dropped, and no dedupe id.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn drop_before(&self, month: Month, limit: u32) -> Result<Pruned, StoreError>;

    /// Forgets dedupe ids of messages received before a time, at most `limit` a call. Ids of
    /// messages that still stand in the inbox are kept.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn forget_ids_before(&self, time: Timestamp, limit: u32) -> Result<Pruned, StoreError>;

    /// Since when dedupe ids are complete: a replay of anything older is refused.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn dedupe_horizon(&self) -> Result<Option<Timestamp>, StoreError>;
}
