//! From when on something counts as wrong.

use std::time::Duration;

/// From when on something counts as wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A part without a task for so long is dead. Longer than it takes to replace one that panicked.
    pub gone: Duration,
    /// A store that fails for so long is away: one that was busy once is not.
    pub away: Duration,
    /// A store that says nothing at all for so long is away as well, and what it last counted is too
    /// old to judge by. Counting pauses for up to 30 seconds.
    pub silence: Duration,
    /// Work that could be done waits for so long, and nothing moves: a stall. Longer than the longest
    /// transaction of the inbox; what a publisher may take comes on top.
    pub stall: Duration,
    /// What waits for so long for a destination that takes nothing, or that nobody serves, is shown.
    pub refused: Duration,
    /// A job that has not ended after so long is shown.
    pub job: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            gone: Duration::from_secs(5),
            away: Duration::from_secs(5),
            silence: Duration::from_secs(60),
            stall: Duration::from_secs(120),
            refused: Duration::from_secs(10),
            job: Duration::from_secs(2 * 3_600),
        }
    }
}
