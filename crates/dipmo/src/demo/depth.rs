//! How much is still on its way, from the figures of the producer and of the database.

use std::time::{Duration, Instant};

use dipmo_domain::Timestamp;
use dipmo_processing::{Metrics, Snapshot};
use dipmo_store::Waiting;
use tokio::task::JoinHandle;

use super::progress::{Figures, Progress};

/// How often the drain looks.
const LOOK: Duration = Duration::from_millis(50);
/// How often in a row the database must have been counted and found empty.
const CALM: usize = 3;
/// The drain gives up when nothing has moved for so long; the ledger tells what is missing.
const PATIENCE: Duration = Duration::from_secs(20);

/// What has not ended yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Depth {
    /// Records that were sent and that the inbox has not answered for.
    pub(crate) wire: u64,
    /// Messages in the inbox that neither ended nor failed nor wait for a person.
    pub(crate) inbox: u64,
    /// Deliveries that have not ended, one for each record of an intent.
    pub(crate) outbox: u64,
    /// Timers that run.
    pub(crate) timers: u64,
    /// Messages that ended so far.
    pub(crate) ended: u64,
    /// Deliveries that ended so far, and attempts at others.
    delivered: u64,
    /// When the database was counted; nothing is known before the first time.
    counted_at: Option<Timestamp>,
}

impl Depth {
    pub(crate) fn of(sent: &Figures, engine: &Snapshot) -> Self {
        let inbox = &engine.inbox;
        let sent_out = engine.outbox.values();
        let mut depth = Self {
            wire: sent.on_the_wire(),
            ended: inbox.ended.values().sum::<u64>() + inbox.failed + inbox.held,
            delivered: sent_out.map(|it| it.dispatched + it.failed + it.retried).sum(),
            ..Self::default()
        };
        if let Some(backlog) = &engine.backlog {
            depth.inbox = open(&backlog.inbox);
            depth.outbox = backlog.outbox.values().map(open).sum();
            depth.timers = backlog.timers;
            depth.counted_at = Some(backlog.at);
        }
        depth
    }

    const fn is_empty(&self) -> bool {
        let waits = self.wire + self.inbox + self.outbox + self.timers;
        waits == 0 && self.counted_at.is_some()
    }

    /// Whether anything has changed since, but for the time of counting.
    fn has_moved(&self, since: &Self) -> bool {
        Self { counted_at: None, ..self.clone() } != Self { counted_at: None, ..since.clone() }
    }
}

/// All but what failed, and what waits behind that for a person.
const fn open(waiting: &Waiting) -> u64 {
    waiting.ready + waiting.retrying + waiting.parked
}

/// Waits until nothing is on its way, nothing moves any more, or the engine has ended.
pub(crate) async fn drain(progress: &Progress, metrics: &Metrics, engine: &JoinHandle<()>) {
    let (mut last, mut moved) = (Depth::default(), Instant::now());
    let mut calm = 0;
    while calm < CALM && moved.elapsed() < PATIENCE && !engine.is_finished() {
        tokio::time::sleep(LOOK).await;
        let depth = Depth::of(&progress.figures(), &metrics.snapshot());
        if !depth.is_empty() {
            calm = 0;
        } else if depth.counted_at != last.counted_at {
            calm += 1;
        }
        if depth.has_moved(&last) {
            moved = Instant::now();
        }
        last = depth;
    }
}
