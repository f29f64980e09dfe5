//! What is wrong now, since when, and under which code it can be looked up.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dipmo_domain::Code;

use crate::Place;

/// Something that is wrong. Whoever has it tries again by itself, and it goes when it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What to look up in `docs/errors/`.
    pub code: Code,
    /// What is wrong, with names.
    pub message: String,
    /// For how long.
    pub lasting: Duration,
}

/// Whom a problem is about: each has at most one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The cluster: nobody answers, or not to us.
    Broker,
    /// The group, or our place in it.
    Group,
    /// The database, or the topics that are written to.
    Store,
    /// What is in the topics, until a record comes. The client does not say of which topic.
    Records,
    /// A topic.
    Topic(String),
    /// A partition, which is not read on.
    Partition(Place),
}

/// Where the problems of one reader are put up and taken down.
#[derive(Debug)]
pub struct Board {
    /// What the reader is called in log lines.
    reader: &'static str,
    problems: Mutex<BTreeMap<Subject, (Code, String, Instant)>>,
}

impl Board {
    /// A board without problems; `reader` is whom log lines name.
    #[must_use]
    pub const fn new(reader: &'static str) -> Self {
        Self { reader, problems: Mutex::new(BTreeMap::new()) }
    }

    /// Puts a problem up, or changes its words.
    pub fn raise(&self, subject: Subject, code: Code, message: &str) {
        let mut problems = self.lock();
        match problems.get_mut(&subject) {
            Some((known, text, _)) if *known == code => message.clone_into(text),
            _ => {
                let code_shown = code.as_str();
                tracing::warn!(code = code_shown, problem = message, "the {} is ill", self.reader);
                problems.insert(subject, (code, message.to_owned(), Instant::now()));
            }
        }
    }

    /// Takes the problem of somebody down.
    pub fn clear(&self, subject: &Subject) {
        if let Some((code, _, since)) = self.lock().remove(subject) {
            let seconds = since.elapsed().as_secs_f64();
            tracing::info!(code = code.as_str(), seconds, "the {} is well again", self.reader);
        }
    }

    /// All that is wrong now.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let problem = |(code, message, since): &(Code, String, Instant)| Problem {
            code: *code,
            message: message.clone(),
            lasting: since.elapsed(),
        };
        self.lock().values().map(problem).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Subject, (Code, String, Instant)>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_stays_until_it_is_cleared_and_keeps_its_age() {
        let board = Board::new("reader");
        let code = Code::new("store-busy");
        board.raise(Subject::Store, code, "busy");
        let first = board.lock()[&Subject::Store].2;
        board.raise(Subject::Store, code, "still busy");
        assert_eq!(board.lock()[&Subject::Store].2, first);
        assert_eq!(board.problems()[0].message, "still busy");
        board.clear(&Subject::Store);
        assert!(board.problems().is_empty());
    }
}
