//! Back-pressure: reading pauses when the inbox is too deep or too old, and goes on by itself.
//!
//! Two thresholds, so that it does not flutter: it pauses above the limit and resumes when both
//! figures are below half of it.

use std::time::Duration;

use dipmo_inbox::InboxLoad;
use tokio::sync::watch;

/// The load that is told now. Who told it and is gone tells none: the last word would hold for ever.
pub(crate) fn told(load: &watch::Receiver<InboxLoad>) -> InboxLoad {
    if load.has_changed().is_err() { InboxLoad::default() } else { *load.borrow() }
}

/// When reading pauses.
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
    /// Whether reading is to pause now, when it did or did not before.
    pub(crate) fn pauses(&self, paused: bool, load: InboxLoad) -> bool {
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

    #[test]
    fn who_is_gone_tells_no_load() {
        let deep = InboxLoad { depth: 7, ..InboxLoad::default() };
        let (tell, load) = watch::channel(deep);
        assert_eq!(told(&load), deep);
        tell.send(deep).unwrap();
        assert_eq!(told(&load), deep);
        drop(tell);
        assert_eq!(told(&load), InboxLoad::default());
    }
}
