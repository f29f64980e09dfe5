//! What the producer has sent and the inbox has answered so far, for the live view and the drain.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dipmo_inbox::{Body, NewMessage};

use super::stories::Answer;
use super::wire::Ticket;

/// Figures of the producer, and of the module that answers.
#[derive(Debug, Default)]
pub(crate) struct Progress(Mutex<Figures>);

/// All of them at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    /// Records that were sent, again or for the first time.
    pub(crate) sent: u64,
    /// Bytes of those that the inbox has not answered for.
    pub(crate) bytes_on_the_wire: u64,
    /// Whether the producer waits until there are fewer.
    pub(crate) is_full: bool,
    /// Those that the inbox took as new.
    pub(crate) stored: u64,
    /// Those that it knew already.
    pub(crate) deduplicated: u64,
    /// Those that had the id of another one.
    pub(crate) conflicts: u64,
    /// Those that could not be decoded, among the stored.
    pub(crate) undecodable: u64,
    /// Records that the source read once more, which the inbox knew by then.
    pub(crate) read_again: u64,
    /// Messages of the module that answers.
    pub(crate) answers: u64,
    /// Answers of the inbox that are not those of the book.
    pub(crate) wrong_answers: Vec<String>,
    /// How many had come by when, the oldest first.
    arrivals: VecDeque<(Instant, u64)>,
}

impl Figures {
    /// Records that were sent, and that the inbox has not answered for.
    pub(crate) const fn on_the_wire(&self) -> u64 {
        self.sent.saturating_sub(self.stored + self.deduplicated + self.conflicts)
    }
}

impl Progress {
    pub(crate) fn sent(&self, records: u64, bytes: u64) {
        let mut figures = self.lock();
        figures.sent += records;
        figures.bytes_on_the_wire += bytes;
    }

    /// One of those that were counted was not sent.
    pub(crate) fn not_sent(&self, bytes: u64) {
        let mut figures = self.lock();
        figures.sent -= 1;
        figures.bytes_on_the_wire -= bytes;
    }

    pub(crate) fn on_the_wire(&self) -> u64 {
        self.lock().on_the_wire()
    }

    pub(crate) fn bytes_on_the_wire(&self) -> u64 {
        self.lock().bytes_on_the_wire
    }

    /// Whether the producer waits for room.
    pub(crate) fn full(&self, is_full: bool) {
        self.lock().is_full = is_full;
    }

    /// The inbox answered for a record that went over the wire.
    pub(crate) fn landed(&self, ticket: &Ticket, answer: Answer) {
        self.compare(&ticket.id, answer, ticket.answer);
        let mut figures = self.lock();
        figures.bytes_on_the_wire = figures.bytes_on_the_wire.saturating_sub(ticket.bytes);
    }

    /// The inbox answered for these, and for some others that it was asked about before.
    pub(crate) fn answers(&self, answers: &[(Answer, &NewMessage)], again: u64) {
        let mut figures = self.lock();
        figures.read_again += again;
        for (answer, message) in answers {
            match answer {
                Answer::New => figures.stored += 1,
                Answer::Duplicate => figures.deduplicated += 1,
                Answer::Conflict => figures.conflicts += 1,
            }
            let undecodable = matches!(message.body, Body::Undecodable { .. });
            if *answer == Answer::New && undecodable {
                figures.undecodable += 1;
            }
        }
        let arrived = figures.stored;
        figures.arrivals.push_back((Instant::now(), arrived));
    }

    /// Remembers an answer that is not the one of the book.
    pub(crate) fn compare(&self, id: &str, answer: Answer, expected: Answer) {
        if answer != expected {
            let wrong = format!("{id}: {answer:?}, not {expected:?}");
            self.lock().wrong_answers.push(wrong);
        }
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
