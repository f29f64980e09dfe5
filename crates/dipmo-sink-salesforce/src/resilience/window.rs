//! How the last calls ended.

use std::collections::VecDeque;

use super::BreakerOptions;

/// The last calls, oldest first.
#[derive(Debug, Default)]
pub(super) struct Window {
    calls: VecDeque<Call>,
    failed: u32,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    object: u32,
    well: bool,
}

impl Window {
    /// Adds a call and forgets those that are too many.
    pub(super) fn add(&mut self, object: u32, well: bool, size: u32) {
        self.calls.push_back(Call { object, well });
        self.failed += u32::from(!well);
        while self.calls.len() > usize::try_from(size).unwrap_or(usize::MAX) {
            let oldest = self.calls.pop_front();
            self.failed -= u32::from(oldest.is_some_and(|call| !call.well));
        }
    }

    /// How many calls there are, and how many of them failed.
    pub(super) fn counted(&self) -> (u32, u32) {
        (u32::try_from(self.calls.len()).unwrap_or(u32::MAX), self.failed)
    }

    /// Whether so many failed that no more should be made.
    pub(super) fn is_bad(&self, options: &BreakerOptions) -> bool {
        let (calls, failed) = self.counted();
        // A window that is smaller than the minimum could never be full enough.
        calls >= options.minimum_calls.min(options.window)
            && f64::from(failed) >= options.failure_rate * f64::from(calls)
            && self.failing_objects() >= options.minimum_objects
    }

    /// How many objects had a call that failed.
    fn failing_objects(&self) -> u32 {
        let mut objects: Vec<u32> =
            self.calls.iter().filter(|call| !call.well).map(|call| call.object).collect();
        objects.sort_unstable();
        objects.dedup();
        u32::try_from(objects.len()).unwrap_or(u32::MAX)
    }
}
