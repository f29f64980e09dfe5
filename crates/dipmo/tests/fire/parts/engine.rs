//! An engine with the two processes, in a hurry.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use dipmo_api::Registry;
use dipmo_outbox::Publisher;
use dipmo_processing::{
    DispatchOptions, Engine, EngineOptions, Metrics, RetryPolicy, UpkeepOptions, WorkerOptions,
};
use dipmo_store::Store;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::echo::Echo;
use super::journal::Journal;
use super::numbers::Numbers;

/// A destination whose publisher keeps order.
pub(crate) const STRICT: &str = "KAFKA:strict";
/// One whose publisher does not: the dispatcher must.
pub(crate) const LOOSE: &str = "KAFKA:loose";
/// The second process.
pub(crate) const ECHO: &str = "INTERNAL:echo";

/// Who takes over from a courier that vanished waits for this.
pub(crate) const LEASE: Duration = Duration::from_secs(3);

/// Nothing that was told to stop takes so long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn registry() -> Registry {
    counting(&Arc::default())
}

/// The processes, the first of which counts its decisions.
pub(crate) fn counting(decisions: &Arc<AtomicU64>) -> Registry {
    Registry::new().process(Numbers::new(decisions)).unwrap().process(Echo).unwrap()
}

/// Short times and small batches: much happens in a second, and much is under way at any moment.
pub(crate) fn hurried() -> EngineOptions {
    let backoff = "fixed(20ms, 1000)".parse().unwrap();
    let retry = RetryPolicy { backoff, ..RetryPolicy::default() };
    let poll = Duration::from_millis(100);
    EngineOptions {
        worker: WorkerOptions { max: 2, batch: 100, poll, retry, ..WorkerOptions::default() },
        dispatch: DispatchOptions {
            units: Some(100),
            deadline: LEASE / 3,
            lease: LEASE,
            turn: Duration::from_secs(1),
            poll,
            retry,
            ..DispatchOptions::default()
        },
        upkeep: UpkeepOptions { poll, ..UpkeepOptions::default() },
        seed: None,
    }
}

/// An engine that writes its deliveries to a journal.
pub(crate) fn journaling(store: Arc<dyn Store>, journal: &Path) -> Engine {
    let (strict, loose) = (Journal::open(journal), Journal::loose(journal));
    engine(store, hurried(), STRICT, Arc::new(strict)).publisher(LOOSE, Arc::new(loose))
}

pub(crate) fn engine(
    store: Arc<dyn Store>,
    options: EngineOptions,
    destinations: &str,
    publisher: Arc<dyn Publisher>,
) -> Engine {
    Engine::new(store, registry()).options(options).publisher(destinations, publisher)
}

/// An engine that runs.
pub(crate) struct Running {
    pub(crate) metrics: Arc<Metrics>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    pub(crate) fn start(engine: Engine) -> Self {
        let (metrics, stop) = (engine.metrics(), engine.stop_token());
        Self { metrics, stop, task: tokio::spawn(engine.run()) }
    }

    /// Stops it and waits until it has ended what it had begun.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.task).await.expect("it does not stop").unwrap();
    }
}
