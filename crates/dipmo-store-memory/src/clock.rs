//! The clock: virtual, the same for all clones, moved by nobody but the test.

use std::time::Duration;

use crate::MemoryStore;

impl MemoryStore {
    /// How long a batch may be decided by the clock of the store. One that stands still for longer
    /// has lost its lanes and cannot commit any more.
    pub const SESSION_TIME_OUT: Duration = Duration::from_secs(30);

    /// Moves the clock forward. Transactions that have begun keep the time of their beginning.
    pub fn advance(&self, duration: Duration) {
        let mut shared = self.lock();
        let now = shared.now.after(duration);
        shared.now = now;
        shared.locks.free_stopped(now, Self::SESSION_TIME_OUT);
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Timestamp;

    use super::*;

    #[test]
    fn the_clock_stands_until_it_is_moved_for_all_clones() {
        let store = MemoryStore::new(Timestamp::EPOCH);
        let clone = store.clone();
        assert_eq!(clone.lock().now, Timestamp::EPOCH);
        store.advance(Duration::from_micros(3));
        assert_eq!(clone.lock().now.as_micros(), 3);
    }
}
