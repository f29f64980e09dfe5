//! The right to run a client in a thread: one run at a time, until the last thread of it has ended.
//!
//! Who stops one does not wait for a broker that does not answer; the thread that says farewell
//! to it may still be there. A second run beside it would share what it knows, which that thread
//! empties when it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Taken while a run holds a seat.
#[derive(Clone, Debug, Default)]
pub struct Chair(Arc<AtomicBool>);

/// Held by a run and by each of its threads; given back when it is dropped.
#[derive(Debug)]
pub struct Seat(Chair);

impl Chair {
    /// The seat; `None` while somebody has it.
    #[must_use]
    pub fn take(&self) -> Option<Arc<Seat>> {
        let free = !self.0.swap(true, Ordering::AcqRel);
        free.then(|| Arc::new(Seat(self.clone())))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_free_when_the_last_who_had_it_is_gone() {
        let chair = Chair::default();
        let run = chair.take().unwrap();
        let thread = Arc::clone(&run);
        drop(run);
        assert!(chair.take().is_none());
        drop(thread);
        assert!(chair.take().is_some());
    }
}
