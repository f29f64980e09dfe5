//! How full the inbox is, as those who fill it are told, and when that is too full.

use std::time::Duration;

/// What waits in the inbox at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxLoad {
    /// Messages that are stored and wait to be processed.
    pub depth: u64,
    /// How long the oldest of them has waited.
    pub oldest: Duration,
}

/// When a source stops filling the inbox.
///
/// Two thresholds, so that it does not flutter: it pauses above the limit and resumes when both
/// figures are below half of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PressureLimits {
    /// More messages than this wait. Defaults to 1,000,000.
    pub depth: u64,
    /// The oldest has waited longer than this. Defaults to an hour.
    pub oldest: Duration,
}

impl Default for PressureLimits {
    fn default() -> Self {
        Self { depth: 1_000_000, oldest: Duration::from_secs(3_600) }
    }
}

impl PressureLimits {
    /// Whether to pause now, for a source that did or did not before.
    #[must_use]
    pub fn pauses(&self, paused: bool, load: InboxLoad) -> bool {
        if paused {
            load.depth > self.depth / 2 || load.oldest > self.oldest / 2
        } else {
            load.depth > self.depth || load.oldest > self.oldest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_pauses_above_the_limit_and_resumes_below_half_of_it() {
        let limits = PressureLimits { depth: 100, oldest: Duration::from_secs(60) };
        let mut paused = false;
        let mut at = |depth, seconds| {
            let load = InboxLoad { depth, oldest: Duration::from_secs(seconds) };
            paused = limits.pauses(paused, load);
            paused
        };
        let seen: Vec<_> = [100, 101, 51, 50, 100].into_iter().map(|depth| at(depth, 0)).collect();
        assert_eq!(seen, [false, true, true, false, false]);
        assert!(at(0, 61) && at(0, 31) && !at(0, 30), "age counts as depth does");
    }
}
