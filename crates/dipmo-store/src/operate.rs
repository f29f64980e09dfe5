//! The port of operators: people who decide about what does not go on by itself.

use std::fmt::Debug;

use async_trait::async_trait;
use dipmo_domain::{InboxId, InboxStatus, OutboxId, OutboxStatus, StoreError};

use crate::{Decoded, Reparsed};

/// How many ids one call takes.
pub const MOST_AT_ONCE: usize = 1_000;

/// A status, and the id of what has it: messages on one side, units on the other.
pub trait BoxStatus: Copy + Debug + Eq {
    /// The id.
    type Id: Copy + Debug + Eq;

    /// The id that a database keeps as this number.
    fn id(number: i64) -> Self::Id;

    /// Its name in the database.
    fn name(self) -> &'static str;
}

impl BoxStatus for InboxStatus {
    type Id = InboxId;

    fn id(number: i64) -> InboxId {
        InboxId(number)
    }

    fn name(self) -> &'static str {
        self.as_str()
    }
}

impl BoxStatus for OutboxStatus {
    type Id = OutboxId;

    fn id(number: i64) -> OutboxId {
        OutboxId(number)
    }

    fn name(self) -> &'static str {
        self.as_str()
    }
}

/// What became of one id of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acted<S: BoxStatus> {
    /// It is done.
    Done,
    /// It stands as it was asked for: somebody asked before. Nothing changed.
    AlreadyDone,
    /// It has ended, otherwise than was asked for. Nothing changed.
    AlreadyEnded,
    /// It waits for the head of its order key, and goes on when that ends. Nothing changed.
    Held,
    /// A later one of its order key, by version or else by arrival, went on since it failed, and
    /// what this one does would come on top of that. Nothing changed; it is done by force.
    Overtaken {
        /// The first of those.
        by: S::Id,
    },
    /// It has a status to which this cannot be done. Nothing changed.
    WrongStatus(S),
    /// It does not stand as it did when it was looked at. Nothing changed.
    Changed,
    /// It came before ids began to be forgotten: should it come again, nobody would know it. Nothing changed.
    PastHorizon,
    /// What it said was erased, so that nothing can be made of it. Nothing changed.
    Erased,
    /// There is no such message or unit.
    NotFound,
}

impl<S: BoxStatus> Acted<S> {
    /// A word for it, as operations keep it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Done => "DONE",
            Self::AlreadyDone => "ALREADY_DONE",
            Self::AlreadyEnded => "ALREADY_ENDED",
            Self::Held => "HELD",
            Self::Overtaken { .. } => "OVERTAKEN",
            Self::WrongStatus(_) => "WRONG_STATUS",
            Self::Changed => "CHANGED",
            Self::PastHorizon => "PAST_HORIZON",
            Self::Erased => "ERASED",
            Self::NotFound => "NOT_FOUND",
        }
    }
}

/// A message that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The message.
    pub message: InboxId,
    /// How often it had been retried before it failed: which of its failures is meant.
    pub retried: u32,
}

/// What a call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operated<S: BoxStatus> {
    /// For each id in its place.
    pub acts: Vec<Acted<S>>,
    /// True when held ones remain to be let go: call [`Work::release`](crate::Work::release) or
    /// [`Dispatch::release_units`](crate::Dispatch::release_units).
    pub releasing: bool,
}

/// Retrying, skipping, letting others pass, and decoding again. Each call takes at most
/// [`MOST_AT_ONCE`] ids and waits for the lanes that it changes. A store may take one lane after the
/// other, a transaction each; a call that failed on its way can be repeated, because what was done is
/// not done again.
#[async_trait]
pub trait Operate: Send + Sync {
    /// Makes messages due now, as if they had never been tried: those that failed, those that wait
    /// for their next attempt, and those that are parked. What failed or was parked goes on without
    /// a version that is missing before it. An order key that waits for such a message goes on
    /// waiting until that ends. What failed and was overtaken is left alone but by `force`: a process
    /// that goes by versions then ends it as STALE, and any other applies it on top.
    ///
    /// # Errors
    /// When it was not done, or not for all of them.
    async fn retry(
        &self,
        messages: &[InboxId],
        force: bool,
    ) -> Result<Operated<InboxStatus>, StoreError>;

    /// As [`retry`](Self::retry), for the failures that are named: a message that waits for its next
    /// attempt, or was retried since, is `AlreadyDone`.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn retry_failed(&self, failed: &[Failed]) -> Result<Operated<InboxStatus>, StoreError>;

    /// Ends messages without processing them: those that failed, wait for their next attempt, are
    /// parked, or could not be decoded. What is held behind them is let go, as when they had ended
    /// by themselves, and nobody waits for their versions any more.
    ///
    /// # Errors
    /// When it was not done, or not for all of them.
    async fn skip(&self, messages: &[InboxId]) -> Result<Operated<InboxStatus>, StoreError>;

    /// Lets go what is held behind messages that failed or could not be decoded: they stay as they
    /// are, their order keys go on without them, and nobody waits for their versions any more.
    /// They can be retried, decoded or skipped later.
    ///
    /// # Errors
    /// When it was not done, or not for all of them.
    async fn release_behind(
        &self,
        messages: &[InboxId],
    ) -> Result<Operated<InboxStatus>, StoreError>;

    /// As [`retry`](Self::retry), for units of the outbox. An intent that was answered for is
    /// answered for again when all of it has ended again. What is on the wire while this is called
    /// has not overtaken anybody yet.
    ///
    /// # Errors
    /// When it was not done, or not for all of them.
    async fn retry_units(
        &self,
        units: &[OutboxId],
        force: bool,
    ) -> Result<Operated<OutboxStatus>, StoreError>;

    /// Gives units up that failed: they stay FAILED, with outcome SKIPPED, and what is held behind
    /// them is let go. Only those that failed: another one may be on the wire.
    ///
    /// # Errors
    /// When it was not done, or not for all of them.
    async fn skip_units(&self, units: &[OutboxId]) -> Result<Operated<OutboxStatus>, StoreError>;

    /// As [`release_behind`](Self::release_behind), for units that failed.
    ///
    /// # Errors
    /// When it was not done, or not for all of them.
    async fn release_behind_units(
        &self,
        units: &[OutboxId],
    ) -> Result<Operated<OutboxStatus>, StoreError>;

    /// Takes messages that could not be decoded as what they are decoded to now. Each keeps its id,
    /// and so its place in the sequence of its aggregate: what comes later waits until it has been
    /// processed. Where later messages have been processed already, nothing is done but by `force`.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn reparse(&self, messages: &[Decoded], force: bool)
    -> Result<Vec<Reparsed>, StoreError>;
}
