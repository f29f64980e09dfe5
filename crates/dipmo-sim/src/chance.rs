//! Chance: one stream of numbers for everything that happens in a run.

use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Numbers from a seed.
pub(crate) struct Chance(Mutex<fastrand::Rng>);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(fastrand::Rng::with_seed(seed)))
    }

    /// True once in `n` times; never when `n` is 0.
    pub(crate) fn one_in(&self, n: u32) -> bool {
        n > 0 && self.number(1..=u64::from(n)) == 1
    }

    pub(crate) fn number(&self, range: RangeInclusive<u64>) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).u64(range)
    }

    pub(crate) fn millis(&self, range: RangeInclusive<u64>) -> Duration {
        Duration::from_millis(self.number(range))
    }

    /// One of some; they must not be none.
    pub(crate) fn pick<T: Copy>(&self, some: &[T]) -> T {
        some[self.below(some.len())]
    }

    /// A place among so many.
    pub(crate) fn below(&self, count: usize) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).usize(..count)
    }
}
