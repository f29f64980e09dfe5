//! The port of the inbox worker.

use async_trait::async_trait;
use dipmo_domain::{Lane, StoreError};

use crate::BatchLogic;

/// How much one batch may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimLimits {
    /// Stop taking chunks once so many messages are taken; the last chunk may go over.
    pub messages: u32,
    /// How many lanes to lock.
    pub lanes: u8,
    /// Where to begin to look for lanes, so that none starves.
    pub start: Lane,
}

/// What a batch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// The lanes that were locked; empty when there was nothing to do.
    pub lanes: Vec<Lane>,
    /// How many messages were claimed, and settled.
    pub messages: usize,
    /// How many intents were written.
    pub intents: usize,
    /// True when held messages remain to be let go: call [`Work::release`].
    pub releasing: bool,
}

/// The inbox as a worker sees it.
#[async_trait]
pub trait Work: Send + Sync {
    /// Claims a batch, lets `logic` decide it and commits, in one transaction.
    ///
    /// Lanes that another worker holds are passed over. The lanes are locked before their messages
    /// are read, in a statement of its own: what the last holder committed is seen. A worker that
    /// dies frees its lanes with its session; one that stops loses the session to a time-out.
    ///
    /// The logic comes back with the report, so that a driver on a thread of its own can take it.
    ///
    /// # Errors
    /// When nothing was written: every message of the batch is as it was before.
    async fn process_batch(
        &self,
        limits: ClaimLimits,
        logic: Box<dyn BatchLogic>,
    ) -> Result<(BatchReport, Box<dyn BatchLogic>), StoreError>;

    /// Lets go up to `limit` messages that are held behind a head that ended, in order, and lifts
    /// the block with the last of them. Answers how many were let go; 0 means that no more remain.
    ///
    /// # Errors
    /// When nothing was written.
    async fn release(&self, limit: u32) -> Result<usize, StoreError>;

    /// Turns up to `limit` timers that are due into messages of the inbox, each exactly once.
    /// Answers how many.
    ///
    /// # Errors
    /// When nothing was written.
    async fn fire_timers(&self, limit: u32) -> Result<usize, StoreError>;
}
