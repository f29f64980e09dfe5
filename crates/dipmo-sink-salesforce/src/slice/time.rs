//! The time of a slice: when no more calls of it are begun, and when none is waited for.

use dipmo_outbox::Ending;
use tokio::time::{Duration, Instant, timeout, timeout_at};

/// The time of a slice.
#[derive(Clone, Copy)]
pub(super) struct Time<'a> {
    until: Instant,
    ending: &'a Ending,
}

impl<'a> Time<'a> {
    /// From now on, unless the engine ends before.
    pub(super) fn begin(time: Duration, ending: &'a Ending) -> Self {
        Self { until: Instant::now() + time, ending }
    }

    /// True once no call is begun any more.
    pub(super) fn is_over(self) -> bool {
        Instant::now() >= self.until || self.ending.is_begun()
    }

    /// Waits for something that comes before a call; `None` when no call is begun any more.
    pub(super) async fn before_a_call<T>(self, work: impl Future<Output = T>) -> Option<T> {
        // Whoever is ready at once would be ready however late it is.
        if self.is_over() {
            return None;
        }
        tokio::select! {
            biased;
            () = self.ending.begun() => None,
            done = timeout_at(self.until, work) => done.ok(),
        }
    }

    /// True where a call without an answer was left because the engine ends.
    pub(super) fn was_cut_short(self) -> bool {
        self.ending.is_due()
    }

    /// Waits for a call that may take so long; `None` when it is left without an answer.
    pub(super) async fn of_a_call<T>(
        self,
        most: Duration,
        call: impl Future<Output = T>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            answer = timeout(most, call) => answer.ok(),
            () = self.ending.due() => None,
        }
    }
}
