//! What is wrong now, why reading pauses, and whether it gets on.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dipmo_domain::{Code, Failure};
pub use dipmo_kafka::Problem;
pub(crate) use dipmo_kafka::Subject;

use crate::progress::{Membership, Progress};

/// How a source is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// What is wrong now; empty when all is well.
    pub problems: Vec<Problem>,
    /// Partitions that are read by this instance.
    pub partitions: usize,
    /// Why reading pauses, when it does, and for how long it has.
    pub paused: Option<Pause>,
    /// Why an operator holds it back, when one does.
    pub held: Option<Failure>,
    /// How long ago the thread that reads last came round; `None` while there is none.
    pub polled: Option<Duration>,
    /// For how long something is to be stored, and nothing was; `None` when nothing is, or reading pauses
    /// on purpose.
    pub unstored: Option<Duration>,
    /// Whether its group has it.
    pub membership: Membership,
}

impl Health {
    /// True when nothing is wrong. A pause is no problem: it ends by itself.
    #[must_use]
    pub const fn is_well(&self) -> bool {
        self.problems.is_empty()
    }
}

/// A pause of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Why.
    pub reason: PauseReason,
    /// For how long.
    pub lasting: Duration,
}

/// Why reading pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PauseReason {
    /// The inbox is too deep or too old.
    Pressure,
    /// The database does not take what was read.
    Store,
    /// An operator holds the source back.
    Operator,
}

/// Where problems and pauses are put up and taken down.
#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) problems: dipmo_kafka::Board,
    pub(crate) progress: Progress,
    paused: Mutex<Option<(PauseReason, Instant)>>,
}

impl Default for Board {
    fn default() -> Self {
        let problems = dipmo_kafka::Board::new("Kafka source");
        Self { problems, progress: Progress::default(), paused: Mutex::default() }
    }
}

impl Board {
    pub(crate) fn raise(&self, subject: Subject, code: Code, message: &str) {
        self.problems.raise(subject, code, message);
    }

    pub(crate) fn clear(&self, subject: &Subject) {
        self.problems.clear(subject);
    }

    pub(crate) fn paused(&self, reason: Option<PauseReason>) {
        *self.lock() = reason.map(|reason| (reason, Instant::now()));
    }

    /// True while reading pauses on purpose: the inbox has enough, or an operator wants it so.
    pub(crate) fn rests(&self) -> bool {
        matches!(*self.lock(), Some((PauseReason::Pressure | PauseReason::Operator, _)))
    }

    pub(crate) fn health(&self, partitions: usize, held: Option<Failure>) -> Health {
        let (now, progress) = (Instant::now(), &self.progress);
        let paused = self
            .lock()
            .map(|(reason, since)| Pause { reason, lasting: now.saturating_duration_since(since) });
        Health {
            problems: self.problems.problems(),
            partitions,
            paused,
            held,
            polled: progress.polled_ago(now),
            unstored: progress.unstored(now),
            membership: progress.membership(now),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<(PauseReason, Instant)>> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_no_problem() {
        let board = Board::default();
        board.paused(Some(PauseReason::Store));
        let health = board.health(3, None);
        assert!(health.is_well() && health.paused.unwrap().reason == PauseReason::Store);
        board.raise(Subject::Store, Code::new("store-busy"), "busy");
        assert!(!board.health(3, None).is_well());
    }
}
