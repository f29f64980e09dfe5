//! Transitions: what a process decided, as a value.

use std::time::Duration;

use dipmo_domain::{Failure, Outcome};

use crate::Advance;

/// The answer of a process to one message.
///
/// | outcome | the message | the instance |
/// |---|---|---|
/// | [`advance`](Self::advance) | PROCESSED | takes one or more edges, with effects, writes and timers |
/// | [`stay`](Self::stay) | PROCESSED, the outcome says why | unchanged |
/// | [`park`](Self::park) | waits for an earlier one | unchanged |
/// | [`retry`](Self::retry) | RETRY, FAILED after the last attempt | unchanged |
/// | [`reject`](Self::reject) | FAILED, waits for a person | unchanged |
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition<S, D> {
    /// The instance moves on.
    Advance(Advance<S, D>),
    /// Nothing changes, and that is right.
    Stay(Stay),
    /// An earlier message is missing.
    Park(Park),
    /// It failed now and may work later.
    Retry(Failure),
    /// It will never work as it is.
    Reject(Failure),
}

/// Why a message changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stay {
    /// The instance has already taken this step.
    Duplicate,
    /// The message speaks of a past that the instance has left behind.
    Stale,
    /// There is nothing to do.
    Nothing,
}

impl Stay {
    /// How the message ends in the inbox.
    #[must_use]
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Duplicate => Outcome::Duplicate,
            Self::Stale => Outcome::Stale,
            Self::Nothing => Outcome::Done,
        }
    }
}

/// A message that came before its turn.
///
/// Unlike a retry it lets later messages of its aggregate pass: one of them is the missing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Park {
    /// The producer's version that must have been processed first.
    pub until_version: i64,
    /// How long to wait; after that the message fails.
    pub timeout: Duration,
}

impl<S, D> Transition<S, D> {
    /// Moves on to a state. To act without moving, declare an edge from the state to itself and
    /// advance along that.
    pub const fn advance(state: S) -> Advance<S, D> {
        Advance::to(state)
    }

    /// Leaves everything as it is.
    #[must_use]
    pub const fn stay(why: Stay) -> Self {
        Self::Stay(why)
    }

    /// Waits for an earlier version of the same aggregate.
    #[must_use]
    pub const fn park(park: Park) -> Self {
        Self::Park(park)
    }

    /// Tries again later. Later messages of the aggregate wait behind this one, so a retry can
    /// never help against a message that is still to come: that is [`Transition::park`].
    #[must_use]
    pub const fn retry(failure: Failure) -> Self {
        Self::Retry(failure)
    }

    /// Fails the message for good, until a person retries or skips it.
    #[must_use]
    pub const fn reject(failure: Failure) -> Self {
        Self::Reject(failure)
    }
}

impl<S, D> From<Advance<S, D>> for Transition<S, D> {
    fn from(advance: Advance<S, D>) -> Self {
        Self::Advance(advance)
    }
}
