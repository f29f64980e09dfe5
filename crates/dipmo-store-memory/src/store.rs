//! The store itself: one database, shared by all clones, and the two ways to use it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::{StoreError, Timestamp};
use dipmo_store::Arrivals;

use crate::MemoryHandler;
use crate::database::{Database, Map};
use crate::locks::Locks;

/// A store in memory. A clone is another instance on the same database, as another host has it.
#[derive(Clone)]
pub struct MemoryStore {
    shared: Arc<Mutex<Shared>>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub(crate) arrivals: Arc<Arrivals>,
    handlers: Map<String, Arc<dyn MemoryHandler>>,
}

impl MemoryStore {
    /// An empty database whose clock stands at `start` until [`advance`](Self::advance) moves it.
    #[must_use]
    pub fn new(start: Timestamp) -> Self {
        Self::with_clock(move || start)
    }

    /// An empty database on a clock from outside, such as the paused one of a simulation. A clock
    /// that goes back is not believed: the time of the store stands until the clock has caught up.
    #[must_use]
    pub fn with_clock(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        let shared = Shared {
            now: clock(),
            ahead: Duration::ZERO,
            locks: Locks::default(),
            database: Database::default(),
        };
        Self {
            shared: Arc::new(Mutex::new(shared)),
            clock: Arc::new(clock),
            arrivals: Arc::default(),
            handlers: Map::default(),
        }
    }

    /// Registers a transactional handler with this instance and the clones made of it later.
    #[must_use]
    pub fn with_handler(mut self, name: &str, handler: Arc<dyn MemoryHandler>) -> Self {
        self.handlers.insert_mut(name.to_owned(), handler);
        self
    }

    /// Ends every session, as crashes of all workers would: lanes are free at once, and batches
    /// that are being decided can no longer commit.
    pub fn kill_sessions(&self) {
        self.lock().locks.free_all();
    }

    /// Never held while code of a user runs, but for the replies of a settlement. A panic there
    /// leaves nothing half done, because only a finished clone is put in place: the poison of the
    /// mutex means nothing.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Shared> {
        // Read before the mutex is taken: the clock is code of a user as well.
        let time = (self.clock)();
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.hear(time);
        shared
    }

    pub(crate) fn handler(&self, name: &str) -> Option<&dyn MemoryHandler> {
        self.handlers.get(name).map(|handler| &**handler)
    }

    /// Reads the newest state.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Database, Timestamp) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let shared = self.lock();
        shared.database.check_schema()?;
        read(&shared.database, shared.now)
    }

    /// Changes a clone of the newest state, and puts it in place unless there was an error.
    pub(crate) fn transact<T>(
        &self,
        change: impl FnOnce(&mut Database, Timestamp) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut shared = self.lock();
        shared.database.check_schema()?;
        let mut database = shared.database.clone();
        let done = change(&mut database, shared.now)?;
        shared.database = database;
        Ok(done)
    }
}

/// What all clones of a store share.
pub(crate) struct Shared {
    pub(crate) now: Timestamp,
    /// How far [`MemoryStore::advance`] has moved it beyond the clock.
    pub(crate) ahead: Duration,
    pub(crate) locks: Locks,
    pub(crate) database: Database,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::migrated;

    #[test]
    fn an_error_drops_the_clone_and_all_that_was_written() {
        let store = migrated();
        let failed = store.transact(|database, now| {
            database.timers.last_sequence = 7;
            Err::<(), _>(StoreError::Fenced { what: now.to_string() })
        });
        assert!(failed.is_err());
        assert_eq!(store.lock().database.timers.last_sequence, 0);
    }
}
