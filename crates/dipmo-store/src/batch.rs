//! The conversation between a store and the engine inside one transaction.

use std::collections::HashMap;

use dipmo_api::{FactRequest, Facts};
use dipmo_domain::{InboxId, OrderKey, ProcessKey, Timestamp};
use dipmo_inbox::Message;

use crate::{Changes, HandlerCall, HandlerOutcome, StateRow};

/// What the engine does with a claimed batch.
///
/// The store calls `claimed` once, then `needs` and `decide` in turns (a wave each) until `needs`
/// answers `None`, then commits. Nothing here may block or do I/O: the lanes are locked.
pub trait BatchLogic: Send {
    /// Takes the batch: messages in the order in which each order key must see them.
    fn claimed(&mut self, batch: ClaimedBatch);

    /// What the next wave wants to read; `None` ends the batch.
    fn needs(&mut self) -> Option<Needs>;

    /// Decides one wave. What it writes is seen by the reads of the next one.
    fn decide(&mut self, found: Found) -> Changes;
}

/// Messages that are ours until the transaction ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedBatch {
    /// The time of the database.
    pub now: Timestamp,
    /// Sorted by id, which within an order key is the order of arrival.
    pub messages: Vec<ClaimedMessage>,
}

/// A message to process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedMessage {
    /// What came.
    pub message: Message,
    /// How often it was tried before.
    pub attempts: u32,
    /// Set while it is parked for a gap: when waiting ends.
    pub parked_until: Option<Timestamp>,
    /// How often an operator retried it after it had failed, or while it was parked.
    pub retried: u32,
}

/// What a wave wants to read.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Instances.
    pub states: Vec<ProcessKey>,
    /// Facts.
    pub facts: Vec<FactRequest>,
    /// Order keys whose block must be known.
    pub blocks: Vec<OrderKey>,
    /// Order keys of which the versions that were passed over must be known.
    pub passed_over: Vec<OrderKey>,
    /// Messages that go to a transactional handler, one after the other, in this order.
    pub handlers: Vec<HandlerCall>,
}

/// What was found for a wave.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The instances that exist.
    pub states: HashMap<ProcessKey, StateRow>,
    /// The facts.
    pub facts: Facts,
    /// The blocks that exist.
    pub blocks: HashMap<OrderKey, Block>,
    /// The versions that were passed over; of each key those of its newest [`MOST_PASSED_OVER`]
    /// messages, in no order.
    pub passed_over: Vec<PassedOver>,
    /// What the handlers answered.
    pub handled: HashMap<InboxId, HandlerOutcome>,
}

/// How many messages of one key are looked at for the versions that were passed over.
pub const MOST_PASSED_OVER: usize = 1_000;

/// A version of a producer that nobody waits for: its message failed, or was skipped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PassedOver {
    /// The order key of the message.
    pub order_key: OrderKey,
    /// `SOURCE_SYSTEM`.
    pub source_system: String,
    /// `SOURCE_VERSION`.
    pub version: i64,
}

/// An order key that waits for one of its messages, its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The message that everything later waits for.
    pub head: InboxId,
    /// Messages up to this one may pass. At or behind the head: the head has ended, and they have
    /// been let go, in order. Before it: the head is one that cannot be decoded, which was made the
    /// head before its turn came.
    pub released_to: Option<InboxId>,
}

impl Block {
    /// True when the head has ended, and what is held behind it is being let go.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.released_to.is_some_and(|last| last >= self.head)
    }

    /// True for a message that may be processed although its key is blocked.
    #[must_use]
    pub fn lets_pass(&self, message: InboxId) -> bool {
        message == self.head || self.released_to.is_some_and(|last| message <= last)
    }
}
