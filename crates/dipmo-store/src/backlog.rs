//! How much waits, and how long the oldest of it has waited.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::Timestamp;

/// All that has not ended, at one moment. Counting it costs as much as waits, whatever the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Messages.
    pub inbox: Waiting,
    /// Units, by destination as [`Destination`](dipmo_domain::Destination) shows it; one without
    /// anything that waits is not there.
    pub outbox: BTreeMap<String, Waiting>,
    /// Jobs that have not ended, by destination. Their units are counted in `outbox`; but while the
    /// destination works on them nobody here could, so that only the age of the job tells that it is stuck.
    pub jobs: BTreeMap<String, OpenJobs>,
    /// Timers that are set, due or not.
    pub timers: u64,
    /// The moment, by the database's clock.
    pub at: Timestamp,
}

/// What waits on one side, each message or unit under one word. What somebody works on right now
/// counts as what it was before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Not tried yet.
    pub ready: u64,
    /// Tried, or put off, and due now or at some time.
    pub retrying: u64,
    /// Held behind the head of its key.
    pub held: u64,
    /// Parked for a version that is missing, woken or not; in the inbox only.
    pub parked: u64,
    /// Failed for good, or not to be decoded: waits for a person.
    pub failed: u64,
    /// RECEIVED_AT or CREATED_AT of the oldest that could be worked on now: ready, or due. `None`
    /// is nothing to do, however much is held or failed.
    pub oldest: Option<Timestamp>,
}

/// Jobs of a destination that have not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenJobs {
    /// How many.
    pub jobs: u64,
    /// CREATED_AT of the oldest. Not its PHASE_AT: a job that begins afresh again and again comes to no end
    /// either.
    pub oldest: Timestamp,
}

impl Backlog {
    /// How long ago the oldest came that could be worked on now; `None` when nothing could.
    #[must_use]
    pub fn age(&self, of: &Waiting) -> Option<Duration> {
        of.oldest.map(|oldest| self.at.since(oldest))
    }

    /// The same for inbox and outbox together: what an alarm for "nobody works" looks at.
    #[must_use]
    pub fn oldest_age(&self) -> Option<Duration> {
        let sides = std::iter::once(&self.inbox).chain(self.outbox.values());
        sides.filter_map(|side| self.age(side)).max()
    }

    /// How long ago the oldest job began that has not ended: what an alarm for "a job is stuck" looks at.
    #[must_use]
    pub fn oldest_job_age(&self) -> Option<Duration> {
        self.jobs.values().map(|jobs| self.at.since(jobs.oldest)).max()
    }
}

impl Waiting {
    /// How many are yet to be worked on: all but those that failed.
    #[must_use]
    pub const fn depth(&self) -> u64 {
        self.ready + self.retrying + self.held + self.parked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting_since(seconds: i64) -> Waiting {
        let oldest = Timestamp::from_micros(seconds * 1_000_000);
        Waiting { ready: 1, oldest, ..Waiting::default() }
    }

    #[test]
    fn the_oldest_is_the_oldest_of_all_sides() {
        let mut backlog = Backlog {
            inbox: waiting_since(8),
            outbox: [("KAFKA:a".to_owned(), waiting_since(3))].into(),
            jobs: [].into(),
            timers: 0,
            at: Timestamp::EPOCH.after(Duration::from_secs(10)),
        };
        assert_eq!(backlog.age(&backlog.inbox), Some(Duration::from_secs(2)));
        assert_eq!(backlog.oldest_age(), Some(Duration::from_secs(7)));
        backlog.outbox.clear();
        backlog.inbox.oldest = None;
        assert_eq!(backlog.oldest_age(), None);
    }

    #[test]
    fn the_oldest_job_is_that_of_all_destinations() {
        let job = |seconds| OpenJobs {
            jobs: 1,
            oldest: Timestamp::EPOCH.after(Duration::from_secs(seconds)),
        };
        let backlog = Backlog {
            inbox: Waiting::default(),
            outbox: [].into(),
            jobs: [("a".to_owned(), job(7)), ("b".to_owned(), job(4)), ("c".to_owned(), job(9))]
                .into(),
            timers: 0,
            at: Timestamp::EPOCH.after(Duration::from_secs(10)),
        };
        assert_eq!(backlog.oldest_job_age(), Some(Duration::from_secs(6)));
        assert_eq!(backlog.oldest_age(), None, "nobody here could work on them");
        assert_eq!(Backlog { jobs: [].into(), ..backlog }.oldest_job_age(), None);
    }

    #[test]
    fn what_failed_is_not_to_be_worked_on() {
        let waiting =
            Waiting { ready: 1, retrying: 2, held: 4, parked: 8, failed: 16, oldest: None };
        assert_eq!(waiting.depth(), 15);
    }
}
