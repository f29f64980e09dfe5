//! What is wrong now, since when, and under which code it can be looked up.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dipmo_domain::Code;

/// How a source is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// What is wrong now; empty when all is well.
    pub problems: Vec<Problem>,
    /// Partitions that are read by this instance.
    pub partitions: usize,
    /// Why reading pauses, when it does.
    pub paused: Option<PauseReason>,
}

impl Health {
    /// True when nothing is wrong. A pause is no problem: it ends by itself.
    #[must_use]
    pub const fn is_well(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Something that is wrong. The source tries again by itself, and it goes when it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What to look up in `docs/errors/`.
    pub code: Code,
    /// What is wrong, with names.
    pub message: String,
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
}

/// Whom a problem is about: each has at most one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// The cluster: nobody answers, or not to us.
    Broker,
    /// The group, or our place in it.
    Group,
    /// The database.
    Store,
    /// What is in the topics, until a record comes. The client does not say of which topic.
    Records,
    /// A topic.
    Topic(String),
}

/// Where problems are put up and taken down.
#[derive(Debug, Default)]
pub(crate) struct Board(Mutex<Shown>);

#[derive(Debug, Default)]
struct Shown {
    problems: BTreeMap<Subject, (Code, String, Instant)>,
    paused: Option<PauseReason>,
}

impl Board {
    pub(crate) fn raise(&self, subject: Subject, code: Code, message: &str) {
        let mut shown = self.lock();
        match shown.problems.get_mut(&subject) {
            Some((known, text, _)) if *known == code => message.clone_into(text),
            _ => {
                tracing::warn!(code = code.as_str(), problem = message, "the Kafka source is ill");
                shown.problems.insert(subject, (code, message.to_owned(), Instant::now()));
            }
        }
    }

    pub(crate) fn clear(&self, subject: &Subject) {
        if let Some((code, _, since)) = self.lock().problems.remove(subject) {
            let seconds = since.elapsed().as_secs_f64();
            tracing::info!(code = code.as_str(), seconds, "the Kafka source is well again");
        }
    }

    pub(crate) fn paused(&self, reason: Option<PauseReason>) {
        self.lock().paused = reason;
    }

    pub(crate) fn health(&self, partitions: usize) -> Health {
        let shown = self.lock();
        let problems = shown.problems.values().map(|(code, message, since)| Problem {
            code: *code,
            message: message.clone(),
            lasting: since.elapsed(),
        });
        Health { problems: problems.collect(), partitions, paused: shown.paused }
    }

    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_stays_until_it_is_cleared_and_keeps_its_age() {
        let board = Board::default();
        let code = Code::new("store-busy");
        board.raise(Subject::Store, code, "busy");
        let first = board.0.lock().unwrap().problems[&Subject::Store].2;
        board.raise(Subject::Store, code, "still busy");
        assert_eq!(board.0.lock().unwrap().problems[&Subject::Store].2, first);
        assert_eq!(board.health(3).problems[0].message, "still busy");
        assert!(!board.health(3).is_well());
        board.clear(&Subject::Store);
        assert!(board.health(3).is_well());
    }
}
