//! The sources while they run, and what tells them to wait.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use dipmo_processing::InboxGauge;
use dipmo_source_kafka::{KafkaSource, SourceError};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::failed::for_people;
use super::topics::{IN, PARTITIONS};

/// How long it may take to join the consumer groups.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often we look whether they have.
const LOOK: Duration = Duration::from_millis(20);

/// Sources that read until they are stopped.
pub(crate) struct Reading {
    sources: Vec<Arc<KafkaSource>>,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<Result<(), SourceError>>>,
}

impl Reading {
    /// The gauge is the one that the sources were given the load of.
    pub(crate) fn start(sources: Vec<KafkaSource>, gauge: InboxGauge) -> Self {
        let stop = CancellationToken::new();
        tokio::spawn(gauge.run(stop.clone()));
        let sources: Vec<_> = sources.into_iter().map(Arc::new).collect();
        let tasks = sources.iter().map(|source| {
            let (running, token) = (Arc::clone(source), stop.clone());
            tokio::spawn(async move { running.run(token).await })
        });
        let tasks = tasks.collect();
        Self { sources, stop, tasks }
    }

    pub(crate) fn sources(&self) -> Vec<Arc<KafkaSource>> {
        self.sources.clone()
    }

    /// Waits until they have all partitions, so that the time of the demo is not spent on joining.
    pub(crate) async fn joined(&self, stop: &CancellationToken) -> Result<()> {
        let (began, wanted) = (Instant::now(), IN.len() * PARTITIONS as usize);
        while self.partitions() < wanted && !stop.is_cancelled() {
            if self.tasks.iter().any(JoinHandle::is_finished) || began.elapsed() > PATIENCE {
                bail!("the sources did not join their consumer groups: {}", self.problems());
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }

    /// Ends them; what was read by then is stored and committed.
    pub(crate) async fn stop(self) -> Result<()> {
        self.stop.cancel();
        let mut ended = Ok(());
        for task in self.tasks {
            // All of them, whatever becomes of one: nobody reads when this is over.
            let read = task.await.map_err(anyhow::Error::from);
            ended = ended.and(read.and_then(|read| read.map_err(|error| for_people(&error))));
        }
        ended
    }

    fn partitions(&self) -> usize {
        self.sources.iter().map(|source| source.health().partitions).sum()
    }

    fn problems(&self) -> String {
        let problems = self.sources.iter().flat_map(|source| source.health().problems);
        let shown: Vec<String> = problems.map(|problem| problem.message).collect();
        shown.join("; ")
    }
}
