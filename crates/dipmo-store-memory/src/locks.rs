//! Lane locks: which session works on which lane of the inbox.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Lane, StoreError, Timestamp};
use tokio::sync::Notify;

use crate::MemoryStore;

/// One call that holds lanes; no two are ever the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    number: u64,
    since: Timestamp,
}

/// The lock table. It is not part of the data: a rollback frees no lane, a kill undoes no commit.
#[derive(Default)]
pub(crate) struct Locks {
    last_session: u64,
    lanes: BTreeMap<Lane, Session>,
    freed: Arc<Notify>,
}

impl Locks {
    /// Locks lanes for a new session. Whoever calls this has found them free.
    pub(crate) fn lock(&mut self, lanes: &[Lane], now: Timestamp) -> Session {
        self.last_session += 1;
        let session = Session { number: self.last_session, since: now };
        self.lanes.extend(lanes.iter().map(|lane| (*lane, session)));
        session
    }

    /// A new session that holds nothing yet.
    pub(crate) fn open(&mut self, now: Timestamp) -> Session {
        self.lock(&[], now)
    }

    /// Locks one more lane for a session, if nobody holds it.
    pub(crate) fn try_take(&mut self, session: Session, lane: Lane) -> bool {
        let is_free = self.is_free(lane);
        if is_free {
            self.lanes.insert(lane, session);
        }
        is_free
    }

    pub(crate) fn is_free(&self, lane: Lane) -> bool {
        !self.lanes.contains_key(&lane)
    }

    /// Tells those who wait for a lane that some lane may be free.
    pub(crate) fn freed(&self) -> Arc<Notify> {
        Arc::clone(&self.freed)
    }

    /// What a session that was ended hears when it goes on.
    pub(crate) fn check(&self, session: Session, lanes: &[Lane]) -> Result<(), StoreError> {
        match lanes.iter().find(|lane| self.lanes.get(lane) != Some(&session)) {
            None => Ok(()),
            Some(lane) => Err(StoreError::Fenced { what: lane.to_string() }),
        }
    }

    pub(crate) fn free(&mut self, session: Session) {
        self.keep(|holder| *holder != session);
    }

    pub(crate) fn free_all(&mut self) {
        self.keep(|_| false);
    }

    /// Ends the sessions that have stood still for as long as `time_out`.
    pub(crate) fn free_stopped(&mut self, now: Timestamp, time_out: Duration) {
        self.keep(|holder| now.since(holder.since) < time_out);
    }

    /// Nobody is told when nothing was freed: who waits looks at the clock, and would wake itself.
    fn keep(&mut self, stays: impl Fn(&Session) -> bool) {
        let before = self.lanes.len();
        self.lanes.retain(|_, holder| stays(holder));
        if self.lanes.len() < before {
            self.freed.notify_waiters();
        }
    }
}

/// Frees the lanes of a session when it is dropped, so that no way out of a batch keeps them: not
/// an error, not a panic of the logic, not a future that nobody polls any more.
pub(crate) struct LaneGuard {
    store: MemoryStore,
    session: Session,
}

impl LaneGuard {
    pub(crate) const fn new(store: MemoryStore, session: Session) -> Self {
        Self { store, session }
    }

    pub(crate) const fn session(&self) -> Session {
        self.session
    }
}

impl Drop for LaneGuard {
    fn drop(&mut self) {
        self.store.lock().locks.free(self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::EPOCH;

    fn lane(index: i64) -> Lane {
        Lane::from_index(index).unwrap()
    }

    #[test]
    fn a_session_frees_its_own_lanes_only() {
        let mut locks = Locks::default();
        let (one, other) = (locks.lock(&[lane(1), lane(2)], NOW), locks.lock(&[lane(3)], NOW));
        locks.free(one);
        assert!(locks.is_free(lane(1)) && locks.is_free(lane(2)) && !locks.is_free(lane(3)));
        assert_eq!(locks.check(other, &[lane(3)]), Ok(()));
    }

    #[test]
    fn a_killed_session_has_lost_its_lanes_even_when_nobody_took_them() {
        let mut locks = Locks::default();
        let killed = locks.lock(&[lane(1)], NOW);
        locks.free_all();
        assert!(locks.check(killed, &[lane(1)]).is_err());
        let next = locks.lock(&[lane(1)], NOW);
        locks.free(killed);
        assert_eq!(locks.check(next, &[lane(1)]), Ok(()));
    }

    #[test]
    fn a_session_that_stands_still_is_ended_on_time() {
        let mut locks = Locks::default();
        let time_out = Duration::from_secs(2);
        let stopped = locks.lock(&[lane(1)], NOW);
        let later = locks.lock(&[lane(2)], NOW.after(Duration::from_secs(1)));
        locks.free_stopped(NOW.after(Duration::from_secs(1)), time_out);
        assert_eq!(locks.check(stopped, &[lane(1)]), Ok(()));
        locks.free_stopped(NOW.after(time_out), time_out);
        assert!(locks.check(stopped, &[lane(1)]).is_err());
        assert_eq!(locks.check(later, &[lane(2)]), Ok(()));
    }
}
