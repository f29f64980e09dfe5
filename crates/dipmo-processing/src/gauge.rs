//! Tells sources how full the inbox is, so that they wait when it is too full.
//!
//! It asks the store and no engine: an instance may read while others process, and when nobody
//! processes at all it matters most.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dipmo_inbox::InboxLoad;
use dipmo_store::{Backlog, Store};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::sampling::regularly;

/// After so many failures in a row the last count is no longer told.
const FORGET_AFTER: u32 = 5;

/// Counts what waits in the inbox, for whoever fills it.
///
/// ```no_run
/// # use dipmo_processing::InboxGauge;
/// # use tokio_util::sync::CancellationToken;
/// # fn start(store: std::sync::Arc<dyn dipmo_store::Store>) {
/// let gauge = InboxGauge::new(store);
/// let load = gauge.load(); // for `KafkaSource::load`
/// tokio::spawn(gauge.run(CancellationToken::new()));
/// # }
/// ```
pub struct InboxGauge {
    store: Arc<dyn Store>,
    every: Duration,
    tell: watch::Sender<InboxLoad>,
    /// How often counting failed since it last did not.
    failures: AtomicU32,
}

impl InboxGauge {
    /// For the inbox of a store, counted every second, and less often when counting takes long.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        let every = Duration::from_secs(1);
        Self { store, every, tell: watch::Sender::default(), failures: AtomicU32::new(0) }
    }

    /// Counted as often as this.
    #[must_use]
    pub const fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// What was counted last; nothing before the first time.
    #[must_use]
    pub fn load(&self) -> watch::Receiver<InboxLoad> {
        self.tell.subscribe()
    }

    /// Counts until it is stopped. Nothing is told any more then, which presses nobody.
    pub async fn run(self, stop: CancellationToken) {
        regularly(self.every, stop, || self.look()).await;
    }

    async fn look(&self) {
        match self.store.backlog().await {
            Ok(backlog) => {
                self.failures.store(0, Ordering::Relaxed);
                self.tell.send_replace(load(&backlog));
            }
            Err(error) => {
                tracing::warn!(%error, "how full the inbox is could not be counted");
                // A source that cannot store waits by itself, and one that can must not wait for
                // ever because of what was true once.
                if self.failures.fetch_add(1, Ordering::Relaxed) + 1 >= FORGET_AFTER {
                    self.tell.send_replace(InboxLoad::default());
                }
            }
        }
    }
}

/// What the engine has yet to do. What is held or parked is left out: it waits for a person or for
/// a message that is still to come, and reading less would make that wait for ever.
fn load(backlog: &Backlog) -> InboxLoad {
    let inbox = &backlog.inbox;
    InboxLoad {
        depth: inbox.ready + inbox.retrying,
        oldest: backlog.age(inbox).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Timestamp;
    use dipmo_store::Waiting;

    use super::*;

    #[test]
    fn what_reading_less_would_not_help_does_not_press() {
        let inbox = Waiting { ready: 1, retrying: 2, held: 4, parked: 8, failed: 16, oldest: None };
        let at = Timestamp::EPOCH.after(Duration::from_secs(9));
        let mut backlog = Backlog { inbox, outbox: [].into(), jobs: [].into(), timers: 32, at };
        assert_eq!(load(&backlog), InboxLoad { depth: 3, oldest: Duration::ZERO });
        backlog.inbox.oldest = Some(Timestamp::EPOCH);
        assert_eq!(load(&backlog).oldest, Duration::from_secs(9));
    }
}
