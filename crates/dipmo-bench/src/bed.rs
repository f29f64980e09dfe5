//! A database with a store on it, and engines of the shipped kind.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use dipmo_api::Registry;
use dipmo_outbox::Publisher;
use dipmo_processing::{
    DispatchOptions, Engine, EngineOptions, Metrics, Role, Snapshot, WorkerOptions,
};
use dipmo_store::{Store, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::process::{self, Topics};

/// How many workers process: as many as the machine of the figures has cores.
const WORKERS: usize = 2;

/// An engine in which nothing happens for so long has lost something.
const PATIENCE: Duration = Duration::from_secs(60);

/// What an engine runs on.
pub(crate) struct Bed {
    pub(crate) store: Arc<dyn Store>,
    registry: Arc<Registry>,
}

impl Bed {
    /// On a database of its own.
    pub(crate) async fn make(url: &str) -> Result<Self> {
        Self::between(url, Topics::default()).await
    }

    /// The same, with topics of its own.
    pub(crate) async fn between(url: &str, topics: Topics) -> Result<Self> {
        Self::with(url, process::registry(topics)?).await
    }

    /// The same, with processes of its own.
    pub(crate) async fn with(url: &str, registry: Arc<Registry>) -> Result<Self> {
        let options = PostgresOptions { connections: 8, ..PostgresOptions::new(url) };
        let store = PostgresStore::connect(&options).await?;
        store.migrate(&Tables::of(&registry)).await?;
        Ok(Self { store: Arc::new(store), registry })
    }

    /// Runs an engine with default options, but for the number of workers.
    pub(crate) fn start(&self, roles: &'static [Role], sink: Arc<dyn Publisher>) -> Running {
        self.start_for("KAFKA:*", roles, sink)
    }

    /// The same, for other destinations than Kafka's.
    pub(crate) fn start_for(
        &self,
        pattern: &str,
        roles: &'static [Role],
        sink: Arc<dyn Publisher>,
    ) -> Running {
        let worker = WorkerOptions { min: WORKERS, max: WORKERS, ..WorkerOptions::default() };
        let dispatch = DispatchOptions::default();
        let options = EngineOptions { worker, dispatch, ..EngineOptions::default() };
        let store = Arc::clone(&self.store);
        let engine = Engine::new(store, Arc::clone(&self.registry)).options(options);
        let engine = engine.publisher(pattern, sink);
        let (metrics, stop) = (engine.metrics(), engine.stop_token());
        Running { metrics, stop, task: tokio::spawn(engine.run_roles(roles)) }
    }
}

/// An engine that runs.
pub(crate) struct Running {
    metrics: Arc<Metrics>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    /// Waits until a figure has come to a number; answers the time when it had, give or take a look.
    pub(crate) async fn until(
        &self,
        figure: impl Fn(&Snapshot) -> u64,
        wanted: u64,
    ) -> Result<Instant> {
        self.looking_every(Duration::from_millis(5), figure, wanted).await
    }

    /// The same, looking more or less often: to look costs a little.
    pub(crate) async fn looking_every(
        &self,
        pause: Duration,
        figure: impl Fn(&Snapshot) -> u64,
        wanted: u64,
    ) -> Result<Instant> {
        let (mut last, mut moved) = (0, Instant::now());
        loop {
            let now = figure(&self.metrics.snapshot());
            if now >= wanted {
                return Ok(Instant::now());
            }
            if now != last {
                (last, moved) = (now, Instant::now());
            }
            if moved.elapsed() > PATIENCE {
                bail!("only {now} of {wanted} came, and no more do");
            }
            rest(pause).await;
        }
    }

    /// Stops it, when it has ended what it began.
    pub(crate) async fn stop(self) -> Result<()> {
        self.stop.cancel();
        Ok(self.task.await?)
    }
}

/// The runtime's clock ticks in milliseconds, and would stand in every sample. A shorter pause is
/// one of the thread, on which nothing but the bench itself runs.
async fn rest(pause: Duration) {
    if pause < Duration::from_millis(1) {
        std::thread::sleep(pause);
    } else {
        tokio::time::sleep(pause).await;
    }
}

/// Messages that ended.
pub(crate) fn processed(figures: &Snapshot) -> u64 {
    figures.inbox.ended.values().sum()
}

/// Units that were dispatched.
pub(crate) fn dispatched(figures: &Snapshot) -> u64 {
    figures.outbox.values().map(|destination| destination.dispatched).sum()
}
