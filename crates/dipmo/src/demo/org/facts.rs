//! What an org has of a run.

use std::collections::HashMap;

/// What an org has of a run, and how it came to that.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrgFacts {
    /// What was written of each record, by object and external id, in order.
    pub(crate) writes: HashMap<(&'static str, String), Vec<Write>>,
    /// Calls that came, if it tells.
    pub(crate) calls: u64,
    /// Bulk jobs among them.
    pub(crate) jobs: u64,
    /// Faults that calls met.
    pub(crate) faults: u64,
}

/// One write of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    pub(crate) version: i64,
    /// False when the sender cannot know of it: the answer was lost, or came too late.
    pub(crate) is_answered: bool,
}
