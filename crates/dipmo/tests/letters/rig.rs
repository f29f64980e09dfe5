//! A topic with its letters, a database, sources and an engine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use dipmo_api::Registry;
use dipmo_domain::{Header, OutboxStatus};
use dipmo_inbound::{Inbound, OnSerdeError, Rules};
use dipmo_inbox::{DeadLetter, Inbox, InboxRow, Record};
use dipmo_kafka::Settings;
use dipmo_kafka::testing::{self, ReadRecord};
use dipmo_processing::{DeadLetters, Engine, EngineOptions};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use dipmo_source_kafka::{KafkaSource, Snapshot, SourceError, SourceOptions};
use dipmo_store::{Inspect as _, Store as _, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use rdkafka::message::OwnedHeaders;
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::orders::Orders;
use crate::postgres::Database;

/// Nothing here takes so long unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

pub(crate) struct Rig {
    pub(crate) store: Arc<PostgresStore>,
    pub(crate) topic: String,
    /// Whether the process can do everything.
    pub(crate) mended: Arc<AtomicBool>,
    pub(crate) database: Database,
    registry: Arc<Registry>,
    producer: ThreadedProducer<DefaultProducerContext>,
}

impl Rig {
    pub(crate) async fn new() -> Self {
        let topic = testing::topic("letters", 1).await;
        for beside in ["-dlt", "-back", "-out"] {
            testing::create(&testing::options(), &format!("{topic}{beside}"), 1, &[]).await;
        }
        let database = Database::create().await;
        let mended = Arc::new(AtomicBool::new(false));
        let tells = format!("KAFKA:{topic}-out").parse().unwrap();
        let orders = Orders { topic: topic.clone(), tells, mended: Arc::clone(&mended) };
        let registry = Arc::new(Registry::new().process(orders).unwrap());
        let options = PostgresOptions::new(&database.url());
        let store = Arc::new(PostgresStore::connect(&options).await.unwrap());
        store.migrate(&Tables::of(&registry)).await.unwrap();
        let options = testing::options().with("enable.idempotence", "true");
        let producer = options.config(&Settings::default()).unwrap().create().unwrap();
        Self { store, topic, mended, database, registry, producer }
    }

    /// The topic beside ours.
    pub(crate) fn beside(&self, suffix: &str) -> String {
        format!("{}{suffix}", self.topic)
    }

    pub(crate) fn send(&self, topic: &str, key: &[u8], value: Option<&[u8]>, headers: &[Header]) {
        let mut all = OwnedHeaders::new();
        for Header { name, value } in headers {
            all = all.insert(rdkafka::message::Header { key: name, value: value.as_ref() });
        }
        let mut record = BaseRecord::<[u8], [u8]>::to(topic).partition(0).key(key).headers(all);
        record.payload = value;
        self.producer.send(record).map_err(|(error, _)| error).unwrap();
    }

    pub(crate) fn flush(&self) {
        self.producer.flush(PATIENCE).unwrap();
    }

    /// Copies letters to a topic from which they come back.
    pub(crate) fn send_back(&self, letters: &[ReadRecord]) {
        let back = self.beside("-back");
        for letter in letters {
            let (value, headers) = (letter.value.as_deref(), letter.headers.as_slice());
            self.send(&back, b"any", value, headers);
        }
        self.flush();
    }

    /// The letters that are in their topic.
    pub(crate) fn letters(&self) -> Vec<ReadRecord> {
        testing::read_to_end(&self.beside("-dlt"))
    }

    pub(crate) async fn until_letters(&self, count: usize) -> Vec<ReadRecord> {
        let began = Instant::now();
        loop {
            let letters = self.letters();
            if letters.len() >= count {
                return letters;
            }
            assert!(began.elapsed() < PATIENCE, "{} letters of {count}", letters.len());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub(crate) async fn rows(&self) -> Vec<InboxRow> {
        let mut rows = self.store.inbox_rows(100_000).await.unwrap();
        rows.sort_by_key(|row| row.message.offset);
        rows
    }

    pub(crate) async fn until(&self, what: &str, holds: impl Fn(&[InboxRow]) -> bool) {
        let began = Instant::now();
        loop {
            let rows = self.rows().await;
            if holds(&rows) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "not {what} in time: {rows:#?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until nothing is left to be delivered: what a processed message tells is sent after it.
    pub(crate) async fn until_delivered(&self) {
        let began = Instant::now();
        loop {
            let rows = self.store.outbox_rows(100_000).await.unwrap();
            let open = rows.iter().filter(|row| row.status != OutboxStatus::Dispatched).count();
            if open == 0 {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{open} of {} wait to be delivered", rows.len());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Reads topics by rules for ours; `-back` and `-dlt` are topics of letters.
    pub(crate) fn source(&self, group: &str, topics: &[&str], message_id: &str) -> KafkaSource {
        self.source_into(Arc::clone(&self.store) as _, group, topics, message_id)
    }

    /// The same into an inbox that is not quite ours.
    pub(crate) fn source_into(
        &self,
        inbox: Arc<dyn Inbox>,
        group: &str,
        topics: &[&str],
        message_id: &str,
    ) -> KafkaSource {
        let rules = Rules {
            message_id: message_id.parse().unwrap(),
            aggregate_id: "key | required".parse().unwrap(),
            event_type: "const:Placed".parse().unwrap(),
            on_serde_error: OnSerdeError::BlockKey,
            mirror_suffix: Some("-dlt".to_owned()),
            ..Rules::default()
        };
        let letters = || Rules { dead_letters: true, ..Rules::default() };
        let inbound = Inbound::new("shop").topic(&self.topic, rules).unwrap();
        let inbound = inbound.topic("*-back", letters()).unwrap();
        let inbound = inbound.topic("*-dlt", letters()).unwrap();
        let mut options = SourceOptions::new(testing::options(), group, topics.to_vec());
        // Only the database says where to go on, so that a test can make it forget.
        options.adopt_committed = false;
        KafkaSource::new(options, inbound, inbox).unwrap()
    }

    pub(crate) fn engine(&self, backoff: &str) -> Engine {
        let mut options = EngineOptions::default();
        options.worker.retry.backoff = backoff.parse().unwrap();
        options.worker.dead_letters = Some(DeadLetters::default());
        let publisher = KafkaPublisher::new(KafkaSinkOptions::new(testing::options())).unwrap();
        Engine::new(Arc::clone(&self.store) as _, Arc::clone(&self.registry))
            .options(options)
            .publisher("KAFKA:*", Arc::new(publisher))
    }
}

/// What a letter says.
pub(crate) fn read(letter: &ReadRecord) -> DeadLetter {
    let record = Record {
        headers: letter.headers.clone(),
        value: letter.value.clone(),
        ..Record::default()
    };
    DeadLetter::read(&record).unwrap().unwrap()
}

/// An engine that runs until it is stopped.
pub(crate) struct Working(CancellationToken, JoinHandle<()>);

impl Working {
    pub(crate) fn start(engine: Engine) -> Self {
        Self(engine.stop_token(), tokio::spawn(engine.run()))
    }

    pub(crate) async fn stop(self) {
        self.0.cancel();
        self.1.await.unwrap();
    }
}

/// A source that runs until it is stopped.
pub(crate) struct Reading {
    source: Arc<KafkaSource>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), SourceError>>,
}

impl Reading {
    pub(crate) fn start(source: KafkaSource) -> Self {
        let (source, stop) = (Arc::new(source), CancellationToken::new());
        let (here, until) = (Arc::clone(&source), stop.clone());
        let task = tokio::spawn(async move { here.run(until).await });
        Self { source, stop, task }
    }

    pub(crate) async fn until(&self, what: &str, holds: impl Fn(&Snapshot) -> bool) -> Snapshot {
        let began = Instant::now();
        loop {
            let figures = self.source.metrics().snapshot();
            if holds(&figures) {
                return figures;
            }
            let health = self.source.health();
            assert!(began.elapsed() < PATIENCE, "not {what} in time: {health:?} {figures:#?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }

    /// Dies in the middle of whatever it does.
    pub(crate) async fn die(self) {
        self.task.abort();
        drop(self.task.await);
    }
}
