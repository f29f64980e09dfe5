//! The calls under way, because Salesforce limits how many long ones there may be.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// When each call under way began.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Mutex<HashMap<u64, Instant>>);

impl InFlight {
    /// Counts a call until the guard is dropped.
    pub(crate) fn enter(&self, id: u64) -> Guard<'_> {
        self.calls().insert(id, Instant::now());
        Guard { calls: self, id }
    }

    /// How many calls but this one are under way for so long already.
    pub(crate) fn long(&self, after: Duration, this: u64) -> u32 {
        let calls = self.calls();
        let others = calls.iter().filter(|&(&id, _)| id != this);
        let long = others.filter(|(_, begun)| begun.elapsed() >= after).count();
        u32::try_from(long).unwrap_or(u32::MAX)
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call under way.
#[derive(Debug)]
pub(crate) struct Guard<'a> {
    calls: &'a InFlight,
    id: u64,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.calls.calls().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_is_long_after_a_while_and_gone_when_it_ends() {
        let in_flight = InFlight::default();
        let after = Duration::from_secs(20);
        let first = in_flight.enter(1);
        tokio::time::advance(after).await;
        let second = in_flight.enter(2);
        assert_eq!(in_flight.long(after, 9), 1);
        assert_eq!(in_flight.long(after, 1), 0);
        drop(first);
        assert_eq!(in_flight.long(after, 9), 0);
        tokio::time::advance(after).await;
        assert_eq!(in_flight.long(after, 9), 1);
        drop(second);
        assert_eq!(in_flight.long(Duration::ZERO, 9), 0);
    }
}
