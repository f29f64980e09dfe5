//! `kafka.ingest`: from a preloaded topic into the inbox.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dipmo_source_kafka::{KafkaSource, Snapshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::cluster::Cluster;
use crate::bed::Bed;
use crate::database::Database;

/// A source in which nothing happens for so long has lost something.
const PATIENCE: Duration = Duration::from_secs(60);

/// A source that runs.
pub(super) struct Reading {
    source: Arc<KafkaSource>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), dipmo_source_kafka::SourceError>>,
}

impl Reading {
    pub(super) fn start(source: KafkaSource) -> Self {
        let (source, stop) = (Arc::new(source), CancellationToken::new());
        let (running, token) = (Arc::clone(&source), stop.clone());
        let task = tokio::spawn(async move { running.run(token).await });
        Self { source, stop, task }
    }

    pub(super) fn figures(&self) -> Snapshot {
        self.source.metrics().snapshot()
    }

    /// Waits until so many messages are stored.
    pub(super) async fn until_stored(&self, wanted: u64) -> Result<Instant> {
        let (mut last, mut moved) = (0, Instant::now());
        loop {
            let stored = self.figures().stored;
            if stored >= wanted {
                return Ok(Instant::now());
            }
            if stored != last {
                (last, moved) = (stored, Instant::now());
            }
            ensure!(
                moved.elapsed() < PATIENCE,
                "only {stored} of {wanted} were stored: {:?}",
                self.source.health()
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    pub(super) async fn stop(self) -> Result<()> {
        self.stop.cancel();
        Ok(self.task.await??)
    }
}

/// Messages a second, from the first that was stored to the last: to join a group takes the same
/// for one message as for a million.
pub(super) async fn run(
    database: &Database,
    cluster: &Cluster,
    topic: &str,
    count: u32,
) -> Result<f64> {
    let bed = Bed::make(&database.url()).await?;
    let reading = Reading::start(cluster.source(topic, Arc::clone(&bed.store))?);
    let begun = reading.until_stored(1).await?;
    let before = reading.figures().stored;
    let ended = reading.until_stored(count.into()).await?;
    let figures = reading.figures();
    reading.stop().await?;
    ensure!(
        figures.duplicates == 0 && figures.serde_errors.is_empty(),
        "the topic has every message once: {figures:?}"
    );
    Ok((u64::from(count) - before) as f64 / (ended - begun).as_secs_f64())
}
