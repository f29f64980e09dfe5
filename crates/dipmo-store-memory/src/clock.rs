//! The clock: virtual or from outside, the same for all clones, and it never goes back.

use std::time::Duration;

use dipmo_domain::Timestamp;

use crate::MemoryStore;
use crate::store::Shared;

impl MemoryStore {
    /// How long a batch may be decided by the clock of the store. One that stands still for longer
    /// has lost its lanes and cannot commit any more.
    pub const SESSION_TIME_OUT: Duration = Duration::from_secs(30);

    /// Moves the clock forward. Transactions that have begun keep the time of their beginning.
    pub fn advance(&self, duration: Duration) {
        let mut shared = self.lock();
        shared.ahead += duration;
        let now = shared.now.after(duration);
        shared.go_on(now);
    }
}

impl Shared {
    /// What the clock says, at the beginning of every access.
    pub(crate) fn hear(&mut self, time: Timestamp) {
        self.go_on(time.after(self.ahead));
    }

    fn go_on(&mut self, now: Timestamp) {
        if now > self.now {
            self.now = now;
            self.locks.free_stopped(now, MemoryStore::SESSION_TIME_OUT);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::testing::{DONE, all, ended, run, store_events};
    use dipmo_domain::StoreError;
    use dipmo_store::{Needs, Store as _, Tables};

    #[test]
    fn the_clock_stands_until_it_is_moved_for_all_clones() {
        let store = MemoryStore::new(Timestamp::EPOCH);
        let clone = store.clone();
        assert_eq!(clone.lock().now, Timestamp::EPOCH);
        store.advance(Duration::from_micros(3));
        assert_eq!(clone.lock().now.as_micros(), 3);
    }

    /// A store on a clock that shows the seconds of the counter.
    fn on_a_clock() -> (MemoryStore, Arc<AtomicU64>) {
        let seconds = Arc::new(AtomicU64::new(5));
        let shown = Arc::clone(&seconds);
        let store = MemoryStore::with_clock(move || {
            Timestamp::EPOCH.after(Duration::from_secs(shown.load(Ordering::Relaxed)))
        });
        (store, seconds)
    }

    #[test]
    fn a_clock_from_outside_is_followed_and_never_goes_back() {
        let (store, seconds) = on_a_clock();
        let shows = |micros| assert_eq!(ended(store.now()).unwrap().as_micros(), micros);
        shows(5_000_000);
        seconds.store(7, Ordering::Relaxed);
        shows(7_000_000);
        seconds.store(6, Ordering::Relaxed);
        shows(7_000_000);
        store.advance(Duration::from_secs(1));
        shows(8_000_000);
        seconds.store(9, Ordering::Relaxed);
        shows(10_000_000);
    }

    #[test]
    fn a_batch_that_stands_still_by_a_clock_from_outside_loses_its_lanes() {
        let (store, seconds) = on_a_clock();
        ended(store.migrate(&Tables::default())).unwrap();
        store_events(&store, "F-1", &[1]);
        let time_out = MemoryStore::SESSION_TIME_OUT.as_secs();
        let stopped = run(&store, Needs::default(), move |batch, _| {
            seconds.fetch_add(time_out, Ordering::Relaxed);
            all(batch, &DONE)
        });
        assert!(matches!(stopped, Err(StoreError::Fenced { .. })), "{stopped:?}");
    }
}
