//! An engine, a store on the clock of the runtime, and messages for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dipmo_api::{Registry, Versions};
use dipmo_domain::ProcessKey;
use dipmo_domain::{InboxStatus, Json, Timestamp};
use dipmo_inbox::{Identity, Inbox as _, InboxRow, NewMessage, Record};
use dipmo_outbox::OutboxRow;
use dipmo_processing::{Engine, EngineOptions, Metrics};
use dipmo_store::{Inspect as _, Store as _, Tables};
use dipmo_store_memory::MemoryStore;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::script::{Script, ScriptData, Step};

/// A store, and the registry of the script.
pub(crate) struct Rig {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) registry: Arc<Registry>,
    /// How far the database's clock is ahead of ours, in seconds.
    pub(crate) ahead: Arc<AtomicU64>,
}

/// An engine that runs.
pub(crate) struct Running {
    pub(crate) metrics: Arc<Metrics>,
    stop: tokio_util::sync::CancellationToken,
    task: JoinHandle<()>,
}

impl Rig {
    pub(crate) async fn new() -> Self {
        Self::with(Versions::Free, |registry| registry).await
    }

    pub(crate) async fn with(versions: Versions, more: impl FnOnce(Registry) -> Registry) -> Self {
        let began = Instant::now();
        let start = Timestamp::from_micros(1_700_000_000_000_000).unwrap();
        let ahead = Arc::new(AtomicU64::new(0));
        let jumped = Arc::clone(&ahead);
        let store = MemoryStore::with_clock(move || {
            let jumped = Duration::from_secs(jumped.load(Ordering::Relaxed));
            start.after(began.elapsed() + jumped)
        });
        let registry = more(Registry::new().process(Script::new(versions)).unwrap());
        store.migrate(&Tables::of(&registry)).await.unwrap();
        Self { store: Arc::new(store), registry: Arc::new(registry), ahead }
    }

    pub(crate) fn engine(&self, options: EngineOptions) -> Engine {
        let store = Arc::clone(&self.store);
        Engine::new(store, Arc::clone(&self.registry)).options(options)
    }

    /// Runs a plain engine until nothing is left to do.
    pub(crate) async fn settle(&self) {
        let running = start(self.engine(EngineOptions::default()));
        self.until_quiet().await;
        running.stop().await;
    }

    /// Waits until all messages and units have ended, failed, or are held behind one that failed.
    pub(crate) async fn until_quiet(&self) {
        let quiet = async {
            loop {
                tokio::time::sleep(Duration::from_millis(50)).await;
                let busy = |row: &InboxRow| match row.status {
                    InboxStatus::Received => row.held_behind.is_none(),
                    InboxStatus::Retry => true,
                    _ => false,
                };
                let sending = |row: &OutboxRow| {
                    row.status == dipmo_domain::OutboxStatus::Pending && row.held_behind.is_none()
                };
                if !self.inbox().await.iter().any(busy) && !self.outbox().await.iter().any(sending)
                {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(7_200), quiet).await.expect("it never got quiet");
    }

    /// Waits until something holds for all messages.
    pub(crate) async fn until(&self, holds: impl Fn(&InboxRow) -> bool) {
        while !self.inbox().await.iter().all(&holds) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    pub(crate) async fn store(&self, messages: &[NewMessage]) {
        self.store.store(messages, &[]).await.unwrap();
    }

    /// All messages, oldest first.
    pub(crate) async fn inbox(&self) -> Vec<InboxRow> {
        let mut rows = self.store.inbox_rows(100_000).await.unwrap();
        rows.reverse();
        rows
    }

    /// All intents, oldest first.
    pub(crate) async fn outbox(&self) -> Vec<OutboxRow> {
        let mut rows = self.store.outbox_rows(100_000).await.unwrap();
        rows.reverse();
        rows
    }

    pub(crate) async fn data(&self, id: &str) -> ScriptData {
        let key = ProcessKey { process: "SCRIPT".to_owned(), id: id.to_owned() };
        match self.store.instance(&key).await.unwrap() {
            Some(row) => row.context.read().unwrap(),
            None => ScriptData::default(),
        }
    }

    pub(crate) async fn statuses(&self) -> Vec<InboxStatus> {
        self.inbox().await.iter().map(|row| row.status).collect()
    }
}

/// Runs an engine.
pub(crate) fn start(engine: Engine) -> Running {
    let (metrics, stop) = (engine.metrics(), engine.stop_token());
    Running { metrics, stop, task: tokio::spawn(engine.run()) }
}

impl Running {
    /// Stops it and waits until it has ended what it had begun.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap();
    }

    /// Ends it where it stands, as a crash would.
    pub(crate) async fn crash(self) {
        self.task.abort();
        drop(self.task.await);
    }
}

/// A step of an aggregate; its number is its id and its place.
pub(crate) fn step(aggregate: &str, n: i64, step: Step) -> NewMessage {
    message("script", "Step", Some(aggregate), n, None, &Step { n, ..step })
}

/// The same with a version of the producer.
pub(crate) fn versioned(aggregate: &str, version: i64) -> NewMessage {
    let step = Step { n: version, ..Step::default() };
    message("script", "Step", Some(aggregate), version, Some(version), &step)
}

pub(crate) fn message(
    topic: &str,
    event_type: &str,
    aggregate: Option<&str>,
    n: i64,
    version: Option<i64>,
    payload: &Step,
) -> NewMessage {
    let record = Record {
        topic: topic.to_owned(),
        offset: n,
        timestamp_millis: -1,
        value: Some(serde_json::to_vec(payload).unwrap()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "test".to_owned(),
        message_id: Some(format!("{}/{n}", aggregate.unwrap_or("alone"))),
        aggregate_id: aggregate.map(str::to_owned),
        event_type: Some(event_type.to_owned()),
        event_version: Some(1),
        source_version: version,
        event_ts: None,
    };
    NewMessage::decoded(&record, &identity, Json::of(payload).unwrap())
}
