//! What operations are made of: what is done, to what, how far it is, and each item as it stood.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use dipmo_domain::{Timestamp, UnknownName};

use super::audit::AuditEntry;
use super::filter::{MessageFilter, UnitFilter};
use crate::Side;

/// So many items an operation has at most; more are refused, so that a slip of a filter is noticed.
pub const MOST_IN_OPERATION: u32 = 1_000_000;

/// What is done to each item. The rules are those of [`Operate`](crate::Operate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Act {
    /// Tries it again, as if it had never been tried.
    Retry,
    /// Ends it without processing or delivering it, and lets go what waits behind it.
    Skip,
    /// Lets go what waits behind it, and leaves it as it is.
    Release,
    /// Decodes it again; messages that are SERDE_ERROR only.
    Reparse,
    /// Delivers it a second time, as a new intent that names it; units that were delivered or given up only.
    Resend,
    /// Processes it once more, as a new message that names it; messages that were processed only.
    Replay,
}

impl Act {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Retry, Self::Skip, Self::Release, Self::Reparse, Self::Resend, Self::Replay];

    /// The word for it, such as `retry`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Skip => "skip",
            Self::Release => "release",
            Self::Reparse => "reparse",
            Self::Resend => "resend",
            Self::Replay => "replay",
        }
    }

    /// The side that it is for, when it is for one only.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::Retry | Self::Skip | Self::Release => None,
            Self::Reparse | Self::Replay => Some(Side::Inbox),
            Self::Resend => Some(Side::Outbox),
        }
    }
}

impl std::str::FromStr for Act {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName { kind: "act", name: name.to_owned() };
        Self::ALL.into_iter().find(|act| act.as_str() == name).ok_or_else(unknown)
    }
}

/// The number of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub i64);

/// What an operation is about. Of what a filter finds, only what the act can be done to is taken, see
/// [`Actions::preview`](super::Actions::preview).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Messages.
    Messages(MessageFilter),
    /// Units.
    Units(UnitFilter),
    /// Messages or units by their ids, whatever they stand at.
    Ids {
        /// Which.
        side: Side,
        /// The ids.
        ids: Vec<i64>,
    },
}

impl Target {
    /// Whether it is about messages or units.
    #[must_use]
    pub const fn side(&self) -> Side {
        match self {
            Self::Messages(_) => Side::Inbox,
            Self::Units(_) => Side::Outbox,
            Self::Ids { side, .. } => *side,
        }
    }
}

/// An operation to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewOperation {
    /// What is done.
    pub act: Act,
    /// To what.
    pub target: Target,
    /// Also where later ones of the same key went on meanwhile.
    pub force: bool,
    /// So many items a second at most.
    pub per_second: Option<NonZeroU32>,
    /// Who, why, and how it was asked for.
    pub entry: AuditEntry,
}

/// What an operation would be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// How many items, counted up to [`MOST_IN_OPERATION`] and one.
    pub items: u64,
    /// How many of each `STATUS`; ids of nobody have none.
    pub by_status: BTreeMap<String, u64>,
    /// The lowest few ids, in their order.
    pub sample: Vec<i64>,
}

/// What became of the wish for an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It is there, and runs, unless it has no items.
    Running(Operation),
    /// It would have more than [`MOST_IN_OPERATION`] items. Nothing was written.
    TooMany,
}

/// How far an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OperationState {
    /// Somebody performs it, or will.
    Running,
    /// Somebody said to wait.
    Paused,
    /// Somebody said to end it; what was done stays done.
    Cancelled,
    /// Every item was met.
    Ended,
}

impl OperationState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Running, Self::Paused, Self::Cancelled, Self::Ended];

    /// The name in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Paused => "PAUSED",
            Self::Cancelled => "CANCELLED",
            Self::Ended => "ENDED",
        }
    }

    /// How it stands after what somebody says about it; `None` when it stands so already, or has come to its end.
    #[must_use]
    pub const fn after(self, change: OperationChange) -> Option<Self> {
        match (self, change) {
            (Self::Running, OperationChange::Pause) => Some(Self::Paused),
            (Self::Paused, OperationChange::Resume) => Some(Self::Running),
            (Self::Running | Self::Paused, OperationChange::Cancel) => Some(Self::Cancelled),
            _ => None,
        }
    }
}

impl std::str::FromStr for OperationState {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let unknown = || UnknownName { kind: "state of an operation", name: name.to_owned() };
        Self::ALL.into_iter().find(|state| state.as_str() == name).ok_or_else(unknown)
    }
}

/// An operation as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub id: OperationId,
    /// What is done.
    pub act: Act,
    /// To messages or units.
    pub side: Side,
    /// Also where later ones went on.
    pub force: bool,
    /// So many items a second at most.
    pub per_second: Option<NonZeroU32>,
    /// Who began it.
    pub actor: String,
    /// Why.
    pub reason: String,
    /// When.
    pub created_at: Timestamp,
    /// How far it is.
    pub state: OperationState,
    /// When it ended or was cancelled.
    pub ended_at: Option<Timestamp>,
    /// How many items it has.
    pub items: u64,
    /// How many of them were met.
    pub met: u64,
    /// Of those, to how many it was done.
    pub done: u64,
    /// Who performs it.
    pub owner: Option<String>,
}

/// How an item stood when the operation began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// `STATUS`.
    pub status: String,
    /// `ATTEMPTS`.
    pub attempts: u32,
    /// How often it had been retried by operators.
    pub retried: u32,
}

/// A message or unit of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationItem {
    /// The message or unit.
    pub id: i64,
    /// How it stood; `None` when there was no such one.
    pub seen: Option<Seen>,
    /// What became of it, once it was met: [`Acted::word`](crate::Acted::word) or
    /// [`Reparsed::word`](crate::Reparsed::word).
    pub result: Option<String>,
}

/// The right to perform an operation. It carries an epoch: after somebody else took the operation, nothing
/// is done under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationLease {
    /// The operation.
    pub operation: Operation,
    /// Which lease of it this is.
    pub epoch: i64,
}

/// What became of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// How many were met.
    pub met: u64,
    /// To how many of them it was done.
    pub done: u64,
    /// True when held ones remain to be let go: see [`Operated`](crate::Operated).
    pub releasing: bool,
}

/// What somebody says about an operation that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationChange {
    /// Wait, until somebody says otherwise.
    Pause,
    /// Go on.
    Resume,
    /// End it; what was done stays done.
    Cancel,
}
