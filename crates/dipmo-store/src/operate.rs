//! The port of operators: people who decide about what does not go on by itself.

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, OutboxId, OutboxStatus, StoreError};

use crate::{Decoded, Reparsed};

/// How many ids one call takes.
pub const MOST_AT_ONCE: usize = 1_000;

/// What became of one id of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acted<S> {
    /// It is done.
    Done,
    /// It stands as it was asked for: somebody asked before. Nothing changed.
    AlreadyDone,
    /// It has ended, otherwise than was asked for. Nothing changed.
    AlreadyEnded,
    /// It waits for the head of its order key, and goes on when that ends. Nothing changed.
    Held,
    /// It has a status to which this cannot be done. Nothing changed.
    WrongStatus(S),
    /// There is no such message or unit.
    NotFound,
}

/// What a call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operated<S> {
    /// For each id in its place.
    pub acts: Vec<Acted<S>>,
    /// True when held ones remain to be let go: call [`Work::release`](crate::Work::release) or
    /// [`Dispatch::release_units`](crate::Dispatch::release_units).
    pub releasing: bool,
}

/// Retrying, skipping and decoding again. Each call is one transaction, takes at most [`MOST_AT_ONCE`] ids, waits
/// for the lanes that it changes, and can be repeated: what was done is not done again.
#[async_trait]
pub trait Operate: Send + Sync {
    /// Makes messages due now, as if they had never been tried: those that failed, those that wait
    /// for their next attempt, and those that are parked. What failed or was parked goes on without
    /// a version that is missing before it. An order key that waits for such a message goes on
    /// waiting until that ends.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn retry(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError>;

    /// Ends messages without processing them: those that failed, wait for their next attempt, are
    /// parked, or could not be decoded. What is held behind them is let go, as when they had ended
    /// by themselves, and nobody waits for their versions any more.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn skip(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError>;

    /// As [`retry`](Self::retry), for units of the outbox. An intent that was answered for is
    /// answered for again when all of it has ended again.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn retry_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError>;

    /// Gives units up that failed: they stay FAILED, with outcome SKIPPED, and what is held behind
    /// them is let go. Only those that failed: another one may be on the wire.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn skip_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError>;

    /// Takes messages that could not be decoded as what they are decoded to now. Each keeps its id,
    /// and so its place in the sequence of its aggregate: what comes later waits until it has been
    /// processed. Where later messages have been processed already, nothing is done but by `force`.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn reparse(&self, messages: &[Decoded], force: bool)
    -> Result<Vec<Reparsed>, StoreError>;
}
