//! The source while it runs, and what tells it to wait.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use dipmo_processing::InboxGauge;
use dipmo_source_kafka::{KafkaSource, SourceError};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::failed::for_people;
use super::topics::{IN, PARTITIONS};

/// How long it may take to join the consumer group.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often we look whether it has.
const LOOK: Duration = Duration::from_millis(20);

/// A source that reads until it is stopped.
pub(crate) struct Reading {
    source: Arc<KafkaSource>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), SourceError>>,
}

impl Reading {
    /// The gauge is the one that the source was given the load of.
    pub(crate) fn start(source: KafkaSource, gauge: InboxGauge) -> Self {
        let (source, stop) = (Arc::new(source), CancellationToken::new());
        tokio::spawn(gauge.run(stop.clone()));
        let (running, token) = (Arc::clone(&source), stop.clone());
        let task = tokio::spawn(async move { running.run(token).await });
        Self { source, stop, task }
    }

    pub(crate) fn source(&self) -> Arc<KafkaSource> {
        Arc::clone(&self.source)
    }

    /// Waits until it has all partitions, so that the time of the demo is not spent on joining.
    pub(crate) async fn joined(&self, stop: &CancellationToken) -> Result<()> {
        let (began, wanted) = (Instant::now(), IN.len() * PARTITIONS as usize);
        while self.source.health().partitions < wanted && !stop.is_cancelled() {
            if self.task.is_finished() || began.elapsed() > PATIENCE {
                bail!("the source did not join its consumer group: {}", self.problems());
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// Ends it; what was read by then is stored and committed.
    pub(crate) async fn stop(self) -> Result<()> {
        self.stop.cancel();
        self.task.await?.map_err(|error| for_people(&error))
    }

    fn problems(&self) -> String {
        let problems = self.source.health().problems;
        let shown: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
        shown.join("; ")
    }
}
