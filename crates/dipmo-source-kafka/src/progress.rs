//! Whether reading and storing get on: what is noted while they do, for who would notice a silent stall.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::shared::Shared;

/// When the thread that polls last did, since when something is to be stored, and whether the group has us.
#[derive(Debug, Default)]
pub(crate) struct Progress(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    /// `None` while no thread polls.
    polled: Option<Instant>,
    /// Since when a batch is on its way into the database, or since something of it arrived.
    storing: Option<Instant>,
    /// Since when there are records that are not stored, or since something was.
    lagging: Option<Instant>,
    /// Since when we are no member of the group, or that we are one.
    group: Option<Group>,
}

#[derive(Clone, Copy, Debug)]
enum Group {
    Joined,
    Left(Instant),
}

impl Progress {
    /// The thread that polls came round.
    pub(crate) fn polled(&self, now: Instant) {
        self.lock().polled = Some(now);
    }

    /// How long ago it did; `None` while there is no such thread.
    pub(crate) fn polled_ago(&self, now: Instant) -> Option<Duration> {
        self.lock().polled.map(|at| now.saturating_duration_since(at))
    }

    /// A batch is on its way into the database from now on, or no longer.
    pub(crate) fn storing(&self, since: Option<Instant>) {
        self.lock().storing = since;
    }

    /// Whether records are not stored that could be. Not while reading pauses on purpose.
    pub(crate) fn lags(&self, does: bool, now: Instant) {
        let mut noted = self.lock();
        noted.lagging = does.then(|| noted.lagging.unwrap_or(now));
    }

    /// Something arrived in the database: whatever else waits, waits from now on.
    pub(crate) fn stored(&self, now: Instant) {
        let mut noted = self.lock();
        noted.storing = noted.storing.map(|_| now);
        noted.lagging = noted.lagging.map(|_| now);
    }

    /// For how long something is to be stored, and nothing was.
    pub(crate) fn unstored(&self, now: Instant) -> Option<Duration> {
        let noted = self.lock();
        let since = noted.storing.into_iter().chain(noted.lagging).min()?;
        Some(now.saturating_duration_since(since))
    }

    /// The group has us, or has not.
    pub(crate) fn member(&self, is_member: bool, now: Instant) {
        let mut noted = self.lock();
        noted.group = match (noted.group, is_member) {
            (_, true) => Some(Group::Joined),
            (Some(Group::Joined), false) => Some(Group::Left(now)),
            (before, false) => before,
        };
    }

    /// For how long the group has not had us any more; nothing is said of one that never had.
    pub(crate) fn membership(&self, now: Instant) -> Membership {
        match self.lock().group {
            None => Membership::Never,
            Some(Group::Joined) => Membership::Joined,
            Some(Group::Left(at)) => Membership::Lost(now.saturating_duration_since(at)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How we stand in the group. One without a partition may be a member as well as one with many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Membership {
    /// The group never had us since the source was made.
    #[default]
    Never,
    /// The group has us.
    Joined,
    /// It had us, and has not for so long: a rebalance, a pause before joining again, or more.
    Lost(Duration),
}

/// The thread that polls, from its beginning to its end, however it ends.
pub(crate) struct Polling(Arc<Shared>);

impl Polling {
    pub(crate) fn begin(shared: &Arc<Shared>) -> Self {
        shared.board.progress.polled(Instant::now());
        Self(Arc::clone(shared))
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        let mut noted = self.0.board.progress.lock();
        (noted.polled, noted.lagging) = (None, None);
        drop(noted);
        self.0.board.progress.member(false, Instant::now());
    }
}

/// A batch on its way into the database, however that ends.
pub(crate) struct OnItsWay<'a>(&'a Progress);

impl<'a> OnItsWay<'a> {
    pub(crate) fn begin(progress: &'a Progress) -> Self {
        progress.storing(Some(Instant::now()));
        Self(progress)
    }
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        self.0.storing(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn what_waits_counts_from_when_it_came_or_something_was_last_stored() {
        let (progress, began) = (Progress::default(), Instant::now());
        assert_eq!(progress.unstored(began + 900 * SECOND), None, "an idle topic");
        progress.lags(true, began);
        progress.lags(true, began + 60 * SECOND);
        assert_eq!(progress.unstored(began + 90 * SECOND), Some(90 * SECOND));
        progress.stored(began + 80 * SECOND);
        assert_eq!(progress.unstored(began + 90 * SECOND), Some(10 * SECOND));
        progress.lags(false, began + 91 * SECOND);
        assert_eq!(progress.unstored(began + 900 * SECOND), None);
        progress.lags(true, began + 900 * SECOND);
        assert_eq!(progress.unstored(began + 901 * SECOND), Some(SECOND), "it was idle before");
    }

    #[test]
    fn a_batch_that_hangs_counts_whatever_is_known_of_the_lag() {
        let (progress, began) = (Progress::default(), Instant::now());
        progress.storing(Some(began));
        progress.lags(false, began + 5 * SECOND);
        assert_eq!(progress.unstored(began + 9 * SECOND), Some(9 * SECOND));
        drop(OnItsWay(&progress));
        assert_eq!(progress.unstored(began + 9 * SECOND), None);
    }

    #[test]
    fn a_place_in_the_group_can_be_lost() {
        let (progress, began) = (Progress::default(), Instant::now());
        progress.member(false, began);
        assert_eq!(progress.membership(began), Membership::Never);
        progress.member(true, began);
        assert_eq!(progress.membership(began + SECOND), Membership::Joined);
        progress.member(false, began + SECOND);
        progress.member(false, began + 5 * SECOND);
        assert_eq!(progress.membership(began + 9 * SECOND), Membership::Lost(8 * SECOND));
    }
}
