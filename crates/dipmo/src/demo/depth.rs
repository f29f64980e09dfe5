//! How much is still on its way, from the figures of the engine and of the producer.

use std::time::{Duration, Instant};

use dipmo_processing::{Metrics, Snapshot};
use tokio::task::JoinHandle;

use super::progress::{Figures, Progress};

/// How often the drain looks.
const LOOK: Duration = Duration::from_millis(100);
/// The drain gives up when nothing has moved for so long; the ledger tells what is missing.
const PATIENCE: Duration = Duration::from_secs(20);

/// What has not ended yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Depth {
    /// Records that were sent and that the inbox has not answered for.
    pub(crate) wire: u64,
    /// Messages in the inbox that neither ended nor failed nor wait for a person.
    pub(crate) inbox: u64,
    /// Intents that are not delivered.
    pub(crate) outbox: u64,
    /// Instances whose timer runs.
    pub(crate) timers: u64,
    /// Everything that ended so far.
    pub(crate) ended: u64,
}

impl Depth {
    pub(crate) fn of(sent: &Figures, engine: &Snapshot) -> Self {
        let internal = engine.outbox.get("INTERNAL").map_or(0, |figures| figures.dispatched);
        let arrived =
            sent.stored - sent.undecodable + sent.answers + internal + engine.timers_fired;
        let inbox = &engine.inbox;
        let ended = inbox.ended.values().sum::<u64>() + inbox.failed + inbox.held;
        let sent_out = engine.outbox.values().map(|figures| figures.dispatched + figures.failed);
        Self {
            wire: sent.on_the_wire(),
            inbox: arrived.saturating_sub(ended),
            outbox: inbox.intents.saturating_sub(sent_out.sum()),
            timers: within(engine, "HIT", "REVIEW_STARTED")
                + within(engine, "ONBOARDING", "QUALIFIED"),
            ended,
        }
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.wire == 0 && self.inbox == 0 && self.outbox == 0 && self.timers == 0
    }
}

/// How many instances of a process are in a state now.
fn within(engine: &Snapshot, process: &str, state: &str) -> u64 {
    let count = |is_it: &dyn Fn(&str, &str) -> bool| -> u64 {
        let edges = engine.transitions.iter();
        edges.filter(|((p, from, to), _)| p == process && is_it(from, to)).map(|(_, n)| n).sum()
    };
    count(&|_, to| to == state).saturating_sub(count(&|from, _| from == state))
}

/// Waits until nothing is on its way, nothing moves any more, or the engine has ended.
pub(crate) async fn drain(progress: &Progress, metrics: &Metrics, engine: &JoinHandle<()>) {
    let (mut last, mut moved) = (Depth::default(), Instant::now());
    let mut calm = 0;
    while calm < 3 && moved.elapsed() < PATIENCE && !engine.is_finished() {
        tokio::time::sleep(LOOK).await;
        let depth = Depth::of(&progress.figures(), &metrics.snapshot());
        calm = if depth.is_empty() { calm + 1 } else { 0 };
        if depth != last {
            (last, moved) = (depth, Instant::now());
        }
    }
}
