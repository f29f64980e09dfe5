//! The port of the outbox dispatcher: lease, read, send elsewhere, settle.
//!
//! No transaction stays open while something is sent. A lease says who may deliver a lane; its
//! epoch says whether that is still so when the result comes back.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Failure, OutboxId, ProcessKey, RecordKey, StoreError, Timestamp};
use dipmo_inbox::NewMessage;
use dipmo_outbox::{ChunkRef, Delivery, Lease, Owner, UnitSettlement};

/// Which lanes a dispatcher wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseParams {
    /// Who wants them.
    pub owner: Owner,
    /// The destination: each has lanes of its own, so a slow one holds up nobody else.
    pub destination: Destination,
    /// At most so many.
    pub lanes: u8,
    /// For how long, by the database's clock; longer than the deadline of a send.
    pub duration: Duration,
}

/// What to read of leased lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadParams<'a> {
    /// The lanes.
    pub leases: &'a [Lease],
    /// Chunks that were read before and are not settled yet: they are passed over.
    pub in_flight: &'a [ChunkRef],
    /// Stop taking chunks once so many units are taken; the last chunk may go over.
    pub units: u32,
}

/// Makes the messages that answer to processes, from the intents that ended in this settlement.
pub type Replies = Box<dyn FnOnce(&[IntentEnd]) -> Vec<NewMessage> + Send>;

/// One settlement.
pub struct Settle<'a> {
    /// Under which leases.
    pub leases: &'a [Lease],
    /// All units of every chunk that is touched, and any number of units with rows of their own.
    pub units: &'a [UnitSettlement],
    /// Messages for the inbox that belong to this settlement: INTERNAL delivery, exactly once.
    pub messages: &'a [NewMessage],
    /// Called inside the transaction with the intents that ended and want to be answered.
    pub replies: Replies,
}

/// An intent all of whose units have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntentEnd {
    /// The intent.
    pub intent: OutboxId,
    /// Who wants to hear of it.
    pub reply_to: ProcessKey,
    /// How many units were dispatched.
    pub dispatched: u64,
    /// How many failed.
    pub failed: u64,
    /// The ones that failed, at most 1,000 of them.
    pub failures: Vec<FailedUnit>,
    /// How often an operator retried units of it that had failed. It grows between two ends of an
    /// intent, so that the answers to both can be told apart.
    pub retried: u32,
}

/// A unit that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedUnit {
    /// The record, of an intent with records.
    pub record: Option<RecordKey>,
    /// Why.
    pub failure: Failure,
}

/// What a settlement did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettleReport {
    /// How many units were settled.
    pub units: usize,
    /// How many messages went to the inbox, duplicates not counted.
    pub messages: usize,
    /// True when held units remain to be let go: call [`Dispatch::release_units`].
    pub releasing: bool,
    /// When it was, by the database's clock.
    pub at: Timestamp,
}

/// The outbox as a dispatcher sees it.
#[async_trait]
pub trait Dispatch: Send + Sync {
    /// The destinations that have something to deliver now.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn due_destinations(&self) -> Result<Vec<Destination>, StoreError>;

    /// Takes lanes that have something to deliver and belong to nobody, or to somebody whose lease
    /// has run out. Each gets a new epoch.
    ///
    /// # Errors
    /// When nothing was leased.
    async fn lease(&self, params: &LeaseParams) -> Result<Vec<Lease>, StoreError>;

    /// Prolongs leases; answers those that are still ours.
    ///
    /// # Errors
    /// When nothing was prolonged.
    async fn renew(
        &self,
        owner: &Owner,
        leases: &[Lease],
        duration: Duration,
    ) -> Result<Vec<Lease>, StoreError>;

    /// Gives leases back before they run out.
    ///
    /// # Errors
    /// When nothing was given back; they run out by themselves.
    async fn give_back(&self, owner: &Owner, leases: &[Lease]) -> Result<(), StoreError>;

    /// Reads units to deliver, in the order of each order key. Reading changes nothing.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn read(&self, params: ReadParams<'_>) -> Result<Vec<Delivery>, StoreError>;

    /// Writes what became of units, with the messages that belong to it, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when one of the leases is no longer ours or a chunk is not there as
    /// it was read: then nothing was written, and somebody else goes on with the work.
    async fn settle(&self, settle: Settle<'_>) -> Result<SettleReport, StoreError>;

    /// As [`Work::release`](crate::Work::release), for units of the outbox.
    ///
    /// # Errors
    /// When nothing was written.
    async fn release_units(&self, limit: u32) -> Result<usize, StoreError>;
}
