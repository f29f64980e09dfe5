//! A record: its values, who touched it when, and what was ever applied to it.

use std::sync::Arc;

use jiff::Timestamp;

use crate::value::Value;

/// A record.
#[derive(Debug)]
pub(crate) struct Record {
    /// One for each field that is not the system's, in their order.
    pub(crate) values: Box<[Value]>,
    pub(crate) created: Touch,
    pub(crate) modified: Touch,
    pub(crate) state: State,
    /// Every write that was applied, oldest first.
    pub(crate) history: Vec<Applied>,
}

/// Who did something, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) at: Timestamp,
    /// The serial number of the user.
    pub(crate) by: u32,
}

/// Whether a record is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Live,
    /// In the recycle bin.
    Deleted,
    /// Gone for good. Only the history remembers it.
    Erased,
}

/// A write that was applied.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Applied {
    /// Counts all writes of the org, without a gap.
    pub(crate) sequence: u64,
    pub(crate) kind: AppliedKind,
    /// The call that asked for it, or that closed the job.
    pub(crate) call: u64,
    pub(crate) job: Option<Arc<str>>,
    pub(crate) at: Timestamp,
    /// The values of the tracked fields after it.
    pub(crate) tracked: Box<[Value]>,
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppliedKind {
    Created,
    Updated,
    Deleted,
    Erased,
    /// Its parent was deleted, and its look-up became empty.
    Detached,
}

impl AppliedKind {
    /// For a report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            AppliedKind::Created => "created",
            AppliedKind::Updated => "updated",
            AppliedKind::Deleted => "deleted",
            AppliedKind::Erased => "erased",
            AppliedKind::Detached => "detached",
        }
    }
}

impl Record {
    /// Whether reads and writes see it.
    pub(crate) fn is_live(&self) -> bool {
        self.state == State::Live
    }
}
