//! The road of the soak: a topic, an instance of the shipped program, a topic and an org.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use dipmo_store::Store;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use rdkafka::producer::{DefaultProducerContext, Producer as _, ThreadedProducer};
use salesforce_sim::{Options, SchemaSource, Simulator};
use tempfile::TempDir;

use super::book::Book;
use super::samples::Sample;
use crate::database::Database;
use crate::kafka::cluster::{self, Cluster};
use crate::load::Load;
use crate::service::program::Instance;

/// What a call takes besides the work that it causes, and an allowance that a run cannot use up.
const ORG: &str = "\
limits: { daily_requests: 100000000, bulk_batches: 10000000 }
latency:
  rest: { fixed: 20ms }
  bulk: { fixed: 20ms }
  bulk.queue: { fixed: 500ms }
  bulk.batch: { fixed: 200ms }
";

/// A road on which nothing moves for so long has lost something.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many slices a second of the load is sent in.
const SLICES: u32 = 50;

pub(super) struct Road {
    instance: Instance,
    store: Arc<dyn Store>,
    org: Simulator,
    producer: ThreadedProducer<DefaultProducerContext>,
    heard: String,
    told: String,
    /// Each batch of messages has a seed of its own.
    seed: u64,
    book: Book,
    /// Holds the configuration for as long as the instance runs.
    _folder: TempDir,
}

impl Road {
    /// Everything up and ready, and nothing sent.
    pub(super) async fn open(database: &Database, kafka: &Cluster) -> Result<Self> {
        let schema = SchemaSource::Text(ORG.to_owned());
        let org = Simulator::start(Options { schema, ..Options::default() }).await?;
        let app = org.credentials().context("no app has a secret")?;
        let (heard, told) = (kafka.topic("heard").await?, kafka.topic("told").await?);
        let folder = tempfile::tempdir()?;
        let config: PathBuf = folder.path().join("dipmo.yaml");
        let text = include_str!("pipeline.yaml").replace("HEARD", &heard).replace("TOLD", &told);
        std::fs::write(&config, text)?;
        let url = database.url();
        let variables = [
            ("DATABASE_URL", url.as_str()),
            ("KAFKA_BROKERS", kafka.servers()),
            ("SALESFORCE_URL", org.url()),
            ("SALESFORCE_CLIENT_ID", &app.client_id),
            ("SALESFORCE_CLIENT_SECRET", &app.client_secret),
        ];
        let mut instance = Instance::start(&config, &variables)?;
        instance.until_ready().await?;
        let options = PostgresOptions { connections: 2, ..PostgresOptions::new(&url) };
        let store = Arc::new(PostgresStore::connect(&options).await?);
        let producer = kafka.producer()?;
        let (seed, book) = (1, Book::default());
        Ok(Self { instance, store, org, producer, heard, told, seed, book, _folder: folder })
    }

    /// Sends so many at once.
    pub(super) fn send(&mut self, count: u32) -> Result<()> {
        let load = self.next_load(count);
        for message in load.messages() {
            cluster::send(&self.producer, &self.heard, message)?;
        }
        tokio::task::block_in_place(|| self.producer.flush(PATIENCE))?;
        Ok(())
    }

    /// Sends so many in the course of one second, which begins now.
    pub(super) async fn send_steadily(&mut self, count: u32) -> Result<()> {
        let began = Instant::now();
        let load = self.next_load(count);
        let slices = load.messages().chunks(usize::try_from(count.div_ceil(SLICES))?);
        for (number, slice) in (1..).zip(slices) {
            for message in slice {
                cluster::send(&self.producer, &self.heard, message)?;
            }
            let due = began + Duration::from_secs(1) * number / SLICES;
            tokio::time::sleep_until(due.into()).await;
        }
        Ok(())
    }

    fn next_load(&mut self, count: u32) -> Load {
        self.seed += 1;
        let load = Load::seeded(self.seed, count);
        self.book.note(load.messages());
        load
    }

    /// What is on its way now, and what that takes.
    pub(super) async fn look(&self) -> Result<Sample> {
        let offsets = self.store.offsets(&format!("{}-soak", self.heard)).await?;
        let stored: i64 = offsets.iter().map(|it| it.next_offset).sum();
        let backlog = self.store.backlog().await?;
        let sides = std::iter::once(&backlog.inbox).chain(backlog.outbox.values());
        let (mut waiting, mut failed) = (0, 0);
        for side in sides {
            waiting += side.depth();
            failed += side.failed;
        }
        ensure!(failed == 0, "{failed} messages or units have failed");
        let unread = self.book.count().saturating_sub(u64::try_from(stored)?);
        Ok(Sample {
            depth: (unread + waiting) as f64,
            megabytes: self.instance.resident_kilobytes()? as f64 / 1_024.0,
            oldest: backlog.oldest_age().unwrap_or_default(),
        })
    }

    /// Waits until nothing is on its way any more.
    pub(super) async fn until_empty(&self) -> Result<()> {
        let (mut last, mut moved) = (f64::MAX, Instant::now());
        loop {
            let depth = self.look().await?.depth;
            if depth == 0.0 {
                return Ok(());
            }
            if depth != last {
                (last, moved) = (depth, Instant::now());
            }
            ensure!(moved.elapsed() < PATIENCE, "{depth} are on their way, and nothing moves");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Stops the instance, and fails unless everything arrived at both ends.
    pub(super) async fn close(self, kafka: &Cluster) -> Result<()> {
        self.instance.stop().await?;
        let consumer = kafka.consumer(&self.told)?;
        tokio::task::block_in_place(|| self.book.check_topic(&consumer))?;
        self.book.check_org(&self.org)?;
        self.org.stop().await;
        Ok(())
    }
}
