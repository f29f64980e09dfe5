//! What the producer has done so far, for the live view and for the drain.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Figures of the producer, and of the module that answers.
#[derive(Debug, Default)]
pub(crate) struct Progress(Mutex<Figures>);

/// All of them at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    /// Records that were sent, again or for the first time.
    pub(crate) sent: u64,
    /// Those that the inbox took as new.
    pub(crate) stored: u64,
    /// Those that it knew already.
    pub(crate) deduplicated: u64,
    /// Those that had the id of another one.
    pub(crate) conflicts: u64,
    /// Those that could not be decoded, among the stored.
    pub(crate) undecodable: u64,
    /// Messages of the module that answers.
    pub(crate) answers: u64,
    /// Answers of the inbox that are not those of the book.
    pub(crate) wrong_answers: Vec<String>,
    /// How many had come by when, the oldest first.
    arrivals: VecDeque<(Instant, u64)>,
}

impl Progress {
    pub(crate) fn update(&self, change: impl FnOnce(&mut Figures)) {
        let mut figures = self.lock();
        change(&mut figures);
        let arrived = figures.stored;
        figures.arrivals.push_back((Instant::now(), arrived));
    }

    pub(crate) fn answered(&self, answers: usize) {
        self.lock().answers += answers as u64;
    }

    pub(crate) fn figures(&self) -> Figures {
        let figures = self.lock();
        // The arrivals are for `behind` alone, and many.
        Figures { arrivals: VecDeque::new(), ..figures.clone() }
    }

    /// How long ago as many had come as have ended by now: the age of what comes next.
    pub(crate) fn behind(&self, ended: u64) -> Duration {
        let arrivals = &mut self.lock().arrivals;
        while arrivals.front().is_some_and(|(_, count)| *count <= ended) {
            arrivals.pop_front();
        }
        arrivals.front().map_or(Duration::ZERO, |(at, _)| at.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
