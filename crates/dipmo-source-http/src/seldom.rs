//! What is worth a line in the log, and not one for each time: clients decide how often it happens.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time between two lines.
const BETWEEN: Duration = Duration::from_secs(10);

/// Something that clients can make happen.
#[derive(Debug, Default)]
pub(crate) struct Seldom(Mutex<(Option<Instant>, u64)>);

impl Seldom {
    /// Counts one more, and says how often it happened since the last line if it is time for another.
    pub(crate) fn line(&self) -> Option<u64> {
        self.line_at(Instant::now())
    }

    fn line_at(&self, now: Instant) -> Option<u64> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (last, times) = &mut *known;
        *times += 1;
        if last.is_some_and(|last| now.duration_since(last) < BETWEEN) {
            return None;
        }
        *last = Some(now);
        Some(std::mem::take(times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_told_is_counted() {
        let (seldom, began) = (Seldom::default(), Instant::now());
        let at = |seconds| seldom.line_at(began + Duration::from_secs(seconds));
        assert_eq!([0, 1, 9, 10, 11, 20].map(at), [Some(1), None, None, Some(3), None, Some(2)]);
    }
}
