//! How full the inbox is, as those who fill it are told.

use std::time::Duration;

/// What waits in the inbox at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxLoad {
    /// Messages that are stored and wait to be processed.
    pub depth: u64,
    /// How long the oldest of them has waited.
    pub oldest: Duration,
}
