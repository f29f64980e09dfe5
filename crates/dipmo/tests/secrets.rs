//! No secret of a login to Kafka is told to anybody: not in a log line, not even in librdkafka's own
//! that are for finding faults; not in an answer, in health, or in a print of options.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

use std::fmt::{Debug, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dipmo_domain::{Destination, Json, OrderKey, OutboxId, Timestamp};
use dipmo_inbound::Inbound;
use dipmo_kafka::{KafkaOptions, testing};
use dipmo_outbox::{Attempt, Delivery, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use dipmo_store::{Store, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use tokio_util::sync::CancellationToken;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Nothing here takes so long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_told_to_anybody() {
    let said = Said::default();
    tracing::subscriber::set_global_default(said.clone()).unwrap();
    let (secure, store) = (testing::secure(), store().await);
    let topic = testing::topic("secrets", 1).await;
    for kafka in secure.ways_in().into_iter().chain(secure.ways_that_are_refused()) {
        let kafka = kafka.with("debug", "all");
        publish(&said, &kafka, &topic).await;
        read(&said, kafka, &topic, Arc::clone(&store)).await;
    }
    let said = said.0.lock().unwrap();
    for secret in secure.secrets() {
        assert!(!secret.is_empty());
        let place = said.find(&secret);
        assert_eq!(place.map(|place| around(&said, place)), None, "{secret} is told");
    }
    // It was listened to: these are what tells how logins go.
    for words in ["SASL", "SCRAM-SHA-512", "OAUTHBEARER", "kafka-login-refused", "***"] {
        assert!(said.contains(words), "nothing is said of {words}");
    }
}

async fn publish(said: &Said, kafka: &KafkaOptions, topic: &str) {
    let options = KafkaSinkOptions {
        deadline: Duration::from_secs(3),
        ..KafkaSinkOptions::new(kafka.clone())
    };
    said.print(&options);
    let publisher = KafkaPublisher::new(options).unwrap();
    said.print(&publisher.publish(&[delivery(topic)]).await);
    said.print(&publisher.metrics().snapshot().failed);
}

/// Reads until it has a partition, or a problem.
async fn read(said: &Said, kafka: KafkaOptions, topic: &str, store: Arc<dyn Store>) {
    let options = SourceOptions::new(kafka, &testing::unique_name("secrets"), [topic]);
    said.print(&options);
    let source = KafkaSource::new(options, Inbound::new("secrets"), store).unwrap();
    let stop = CancellationToken::new();
    let watching = async {
        let began = Instant::now();
        while source.health().is_well() && source.health().partitions == 0 {
            assert!(began.elapsed() < PATIENCE, "neither read nor ill");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        said.print(&source.health());
        stop.cancel();
    };
    let (read, ()) = tokio::join!(source.run(stop.clone()), watching);
    read.unwrap();
}

async fn store() -> Arc<dyn Store> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("secrets.db");
    for suffix in ["", "-wal", "-shm"] {
        // Of an earlier run; there is none the first time.
        drop(std::fs::remove_file(format!("{}{suffix}", file.display())));
    }
    let options = SqliteOptions::new(&format!("sqlite:{}", file.display()));
    let store = SqliteStore::open(options).await.unwrap();
    store.migrate(&Tables::default()).await.unwrap();
    Arc::new(store)
}

fn delivery(topic: &str) -> Delivery {
    let order_key = OrderKey::new("A-1");
    Delivery {
        unit: OutboxId(1),
        intent: OutboxId(1),
        record: None,
        lane: order_key.lane(),
        order_key,
        destination: Destination::Kafka { topic: topic.to_owned() },
        aggregate_type: "PARCEL".to_owned(),
        aggregate_id: "A-1".to_owned(),
        event_type: "ParcelLeft".to_owned(),
        event_version: 1,
        payload: Json::empty_object(),
        headers_json: None,
        created_at: Timestamp::EPOCH,
        cause: None,
        caused_at: None,
        reply_to: None,
        attempt: Attempt::Again { attempts: 0, retried: 0 },
        blocked_by: None,
    }
}

/// What stands around a place of a text.
fn around(text: &str, place: usize) -> &str {
    let from = text[..place].rfind('\n').unwrap_or(0);
    text[from..].trim_start().lines().next().unwrap()
}

/// Everything that was said, by anybody.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<String>>);

impl Said {
    fn print(&self, value: &impl Debug) {
        writeln!(self.0.lock().unwrap(), "{value:?} {value:#?}").unwrap();
    }
}

impl Subscriber for Said {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut said = self.0.lock().unwrap();
        event.record(&mut Fields(&mut said));
        said.push('\n');
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}
