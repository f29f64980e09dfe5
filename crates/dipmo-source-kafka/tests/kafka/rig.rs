//! A broker with a topic, a store, a producer, and a source that runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dipmo_inbound::Inbound;
use dipmo_inbox::{Inbox, InboxRow};
use dipmo_kafka::{ClientEvents, KafkaOptions, Settings, testing};
use dipmo_source_kafka::{KafkaSource, Snapshot, SourceError, SourceOptions};
use dipmo_store::{Inspect as _, Store as _, Tables};
use dipmo_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use rdkafka::Offset;
use rdkafka::TopicPartitionList;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::OwnedHeaders;
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A file with a database that goes with its test.
pub(crate) struct Folder {
    path: PathBuf,
    borrowed: bool,
}

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let name = format!("dipmo-source-kafka-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self { path, borrowed: false }
    }

    /// The folder of somebody else's file, who takes it away.
    pub(crate) fn at(file: &Path) -> Self {
        Self { path: file.parent().unwrap().to_owned(), borrowed: true }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.path.join("dipmo.db")
    }

    /// A connection past the store, as a person has.
    pub(crate) fn look(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).unwrap()
    }

    pub(crate) async fn store(&self) -> Arc<SqliteStore> {
        let url = format!("sqlite:{}", self.file().display());
        let options = SqliteOptions {
            durability: Durability::Normal,
            patience: Duration::from_millis(500),
            ..SqliteOptions::new(&url)
        };
        let store = SqliteStore::open(options).await.unwrap();
        store.migrate(&Tables::default()).await.unwrap();
        Arc::new(store)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.borrowed {
            drop(std::fs::remove_dir_all(&self.path));
        }
    }
}

/// What most tests need.
pub(crate) struct Rig {
    pub(crate) topic: String,
    pub(crate) group: String,
    pub(crate) folder: Folder,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) producer: Producer,
}

impl Rig {
    /// A new topic and an empty store.
    pub(crate) async fn new(partitions: i32) -> Self {
        Self::on(&testing::options(), partitions).await
    }

    /// A new topic on some cluster, and an empty store.
    pub(crate) async fn on(kafka: &KafkaOptions, partitions: i32) -> Self {
        let folder = Folder::new();
        Self {
            topic: testing::topic_with(kafka, "source", partitions, &[]).await,
            group: testing::unique_name("group"),
            store: folder.store().await,
            folder,
            producer: Producer::of(kafka, &[]),
        }
    }

    pub(crate) fn options(&self) -> SourceOptions {
        SourceOptions::new(testing::options(), &self.group, [&self.topic])
    }

    pub(crate) fn start(&self) -> Running {
        self.start_with(self.options())
    }

    pub(crate) fn start_with(&self, options: SourceOptions) -> Running {
        Running::new(self.source(options))
    }

    pub(crate) fn source(&self, options: SourceOptions) -> KafkaSource {
        KafkaSource::new(options, Inbound::new("test"), self.inbox()).unwrap()
    }

    pub(crate) fn inbox(&self) -> Arc<dyn Inbox> {
        Arc::clone(&self.store) as _
    }

    /// Sends records with numbers as JSON to a partition, and waits for the broker.
    pub(crate) fn send_numbers(&self, partition: i32, numbers: std::ops::Range<u32>) {
        for number in numbers {
            let value = format!("{{\"n\":{number}}}");
            self.producer.send(&self.topic, partition, Some(value.as_bytes()));
        }
        self.producer.flush();
    }

    /// All rows of the inbox, by partition and offset.
    pub(crate) async fn rows(&self) -> Vec<InboxRow> {
        let mut rows = self.store.inbox_rows(1_000_000).await.unwrap();
        rows.sort_by_key(|row| (row.message.partition, row.message.offset));
        rows
    }

    /// Partition and offset of all rows.
    pub(crate) async fn places(&self) -> Vec<(i32, i64)> {
        let rows = self.rows().await;
        rows.iter().map(|row| (row.message.partition, row.message.offset)).collect()
    }

    /// The next offset that the database has for a partition.
    pub(crate) async fn stored(&self, partition: i32) -> Option<i64> {
        let offsets = self.store.offsets(&self.group).await.unwrap();
        let here =
            |at: &&dipmo_inbox::SourceOffset| at.topic == self.topic && at.partition == partition;
        offsets.iter().find(here).map(|at| at.next_offset)
    }

    /// A member of the group that reads and stores nothing, until it is told to leave.
    pub(crate) fn other_member(&self) -> Arc<AtomicBool> {
        let options = testing::options()
            .with("group.id", &self.group)
            .with("partition.assignment.strategy", "cooperative-sticky")
            .with("enable.auto.commit", "false");
        let config = options.config(&Settings::default()).unwrap();
        let member: BaseConsumer<ClientEvents> = options.client(&config, options.events()).unwrap();
        member.subscribe(&[&self.topic]).unwrap();
        let (leaves, told) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (flag, joined) = (Arc::clone(&leaves), Arc::clone(&told));
        std::thread::spawn(move || {
            while !flag.load(Ordering::Relaxed) {
                member.poll(Duration::from_millis(50));
                joined.store(member.assignment().unwrap().count() > 0, Ordering::Relaxed);
            }
        });
        while !told.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        leaves
    }

    /// What the group committed to the broker.
    pub(crate) fn committed(&self, partition: i32) -> Option<i64> {
        let consumer = plain_consumer(&self.group);
        let mut list = TopicPartitionList::new();
        list.add_partition(&self.topic, partition);
        let list = consumer.committed_offsets(list, PATIENCE).unwrap();
        match list.find_partition(&self.topic, partition)?.offset() {
            Offset::Offset(offset) => Some(offset),
            _ => None,
        }
    }
}

/// A consumer that only asks.
pub(crate) fn plain_consumer(group: &str) -> BaseConsumer<ClientEvents> {
    let options = testing::options().with("group.id", group).with("enable.auto.commit", "false");
    let config = options.config(&Settings::default()).unwrap();
    options.client(&config, options.events()).unwrap()
}

/// A source that runs until it is dropped or stopped.
pub(crate) struct Running {
    pub(crate) source: Arc<KafkaSource>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), SourceError>>,
}

impl Running {
    pub(crate) fn new(source: KafkaSource) -> Self {
        Self::again(Arc::new(source))
    }

    /// Runs a source that ran before.
    pub(crate) fn again(source: Arc<KafkaSource>) -> Self {
        let stop = CancellationToken::new();
        let (here, until) = (Arc::clone(&source), stop.clone());
        let task = tokio::spawn(async move { here.run(until).await });
        Self { source, stop, task }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    pub(crate) fn figures(&self) -> Snapshot {
        self.source.metrics().snapshot()
    }

    /// Waits until the figures say so.
    pub(crate) async fn until(&self, what: &str, is: impl Fn(&Snapshot) -> bool) -> Snapshot {
        let began = Instant::now();
        loop {
            let figures = self.figures();
            if is(&figures) {
                return figures;
            }
            let health = self.source.health();
            assert!(began.elapsed() < PATIENCE, "no {what} in time: {health:?} {figures:#?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) async fn until_records(&self, records: u64) -> Snapshot {
        self.until("records", |figures| figures.records >= records).await
    }

    /// Waits until a problem with this code is told.
    pub(crate) async fn until_problem(&self, code: &str) {
        self.until(code, |_| {
            self.source.health().problems.iter().any(|problem| problem.code.as_str() == code)
        })
        .await;
    }

    pub(crate) async fn until_well(&self) {
        self.until("health", |_| self.source.health().is_well()).await;
    }

    pub(crate) async fn stop(self) -> Snapshot {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
        self.source.metrics().snapshot()
    }
}

/// Sends records and waits for all of them.
pub(crate) struct Producer(ThreadedProducer<DefaultProducerContext>);

impl Producer {
    pub(crate) fn new(properties: &[(&str, &str)]) -> Self {
        Self::of(&testing::options(), properties)
    }

    /// For some cluster.
    pub(crate) fn of(options: &KafkaOptions, properties: &[(&str, &str)]) -> Self {
        let options = options.clone().with("enable.idempotence", "true");
        let options =
            properties.iter().fold(options, |options, (name, value)| options.with(name, value));
        Self(options.config(&Settings::default()).unwrap().create().unwrap())
    }

    pub(crate) fn inner(&self) -> &ThreadedProducer<DefaultProducerContext> {
        &self.0
    }

    pub(crate) fn send(&self, topic: &str, partition: i32, value: Option<&[u8]>) {
        self.send_with(topic, partition, None, value, OwnedHeaders::new());
    }

    /// With a `message-id`.
    pub(crate) fn send_id(&self, topic: &str, partition: i32, id: &str, value: &[u8]) {
        let id = rdkafka::message::Header { key: "message-id", value: Some(id) };
        self.send_with(topic, partition, None, Some(value), OwnedHeaders::new().insert(id));
    }

    pub(crate) fn send_with(
        &self,
        topic: &str,
        partition: i32,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: OwnedHeaders,
    ) {
        self.try_send(record(topic, partition, key, value, headers));
    }

    pub(crate) fn try_send(&self, mut record: BaseRecord<'_, [u8], [u8]>) {
        loop {
            match self.0.send(record) {
                Ok(()) => return,
                Err((_, back)) => {
                    record = back;
                    std::thread::yield_now();
                }
            }
        }
    }

    pub(crate) fn flush(&self) {
        self.0.flush(PATIENCE).unwrap();
    }
}

pub(crate) fn record<'a>(
    topic: &'a str,
    partition: i32,
    key: Option<&'a [u8]>,
    value: Option<&'a [u8]>,
    headers: OwnedHeaders,
) -> BaseRecord<'a, [u8], [u8]> {
    let mut record = BaseRecord::to(topic).partition(partition).headers(headers);
    record.key = key;
    record.payload = value;
    record
}
