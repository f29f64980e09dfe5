//! What is wrong now, since when, and under which code it can be looked up.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dipmo_domain::{Code, Failure};

/// How a source is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Where it listens, once it does.
    pub listening: Option<SocketAddr>,
    /// What is wrong with the database, if anything: whoever posts is told to come back.
    pub problem: Option<Problem>,
    /// True while the inbox is too full: whoever posts is told to come back. It ends by itself.
    pub turned_away: bool,
    /// Why an operator holds it back, when one does: whoever posts is told to come back.
    pub paused: Option<Failure>,
}

/// Something that is wrong. It goes when a request gets through, or when nobody waits and the database
/// answers again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What to look up in `docs/errors/`.
    pub code: Code,
    /// What is wrong, with names.
    pub message: String,
    /// For how long.
    pub lasting: Duration,
}

/// Where the trouble with the database is put up and taken down.
#[derive(Debug, Default)]
pub(crate) struct Board(Mutex<Option<(Code, String, Instant)>>);

impl Board {
    pub(crate) fn raise(&self, code: Code, message: &str) {
        let mut shown = self.lock();
        match &mut *shown {
            Some((known, text, _)) if *known == code => message.clone_into(text),
            _ => {
                tracing::warn!(code = code.as_str(), problem = message, "the HTTP source is ill");
                *shown = Some((code, message.to_owned(), Instant::now()));
            }
        }
    }

    pub(crate) fn clear(&self) {
        if let Some((code, _, since)) = self.lock().take() {
            let seconds = since.elapsed().as_secs_f64();
            tracing::info!(code = code.as_str(), seconds, "the HTTP source is well again");
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.lock().is_some()
    }

    pub(crate) fn problem(&self) -> Option<Problem> {
        let shown = self.lock();
        let (code, message, since) = shown.as_ref()?;
        Some(Problem { code: *code, message: message.clone(), lasting: since.elapsed() })
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Code, String, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_stays_until_it_is_cleared_and_keeps_its_age() {
        let board = Board::default();
        board.raise(Code::new("store-busy"), "busy");
        let first = board.lock().as_ref().map(|(_, _, since)| *since);
        board.raise(Code::new("store-busy"), "still busy");
        assert_eq!(board.lock().as_ref().map(|(_, _, since)| *since), first);
        assert_eq!(board.problem().map(|problem| problem.message).as_deref(), Some("still busy"));
        board.clear();
        assert_eq!(board.problem(), None);
    }
}
