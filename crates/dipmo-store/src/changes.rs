//! What a wave of decisions changes, all of it in the transaction that claimed the messages.

use std::time::Duration;

use dipmo_api::{DomainWrite, TimerChange};
use dipmo_domain::{Failure, InboxId, OrderKey, Outcome, ProcessKey};
use dipmo_outbox::NewIntent;

use crate::StateWrite;

/// The writes of one wave.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Instances, at most one write for each.
    pub states: Vec<StateWrite>,
    /// Rows of the domain, in order.
    pub writes: Vec<DomainWrite>,
    /// Intents, in order.
    pub intents: Vec<NewIntent>,
    /// Timers, in order.
    pub timers: Vec<TimerWrite>,
    /// What became of the messages; every claimed message is settled once before the batch ends.
    pub settlements: Vec<Settlement>,
    /// Order keys whose parked messages may go on, because a gap closed.
    pub wake: Vec<OrderKey>,
}

/// A timer of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimerWrite {
    /// Whose timer it is.
    pub instance: ProcessKey,
    /// The aggregate that the message of the timer is ordered with.
    pub aggregate_id: String,
    /// What to do.
    pub change: TimerChange,
}

/// What became of a claimed message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    /// The message.
    pub message: InboxId,
    /// What became of it.
    pub kind: SettlementKind,
}

/// How a claimed message leaves a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettlementKind {
    /// It ended. If it was the head of its order key, those behind it are let go.
    Processed(Outcome),
    /// Not now: due again after the delay, and its order key waits for it.
    Retry {
        /// Counted by the database's clock.
        after: Duration,
        /// Why.
        failure: Failure,
    },
    /// It failed for good.
    Failed {
        /// Why.
        failure: Failure,
        /// True makes its order key wait until a person decides.
        block: bool,
    },
    /// Not tried: its order key waits for its head.
    Held,
    /// Not tried: an earlier version is missing. Its order key goes on without it.
    Parked {
        /// How long to wait at most, counted from now; parking again keeps the first deadline.
        at_most: Duration,
    },
}

impl SettlementKind {
    /// True for a message that had its effects, if it has any: an earlier one of its key that failed
    /// has been overtaken.
    #[must_use]
    pub const fn goes_on(&self) -> bool {
        match self {
            Self::Processed(outcome) => !matches!(outcome, Outcome::Skipped | Outcome::Ignored),
            _ => false,
        }
    }
}
