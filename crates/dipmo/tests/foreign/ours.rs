//! Our side: a source that stores what it reads, and a publisher.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_domain::{Destination, Header, Headers, InboxId, Json, OrderKey, OutboxId, Timestamp};
use dipmo_inbound::Inbound;
use dipmo_inbox::Record;
use dipmo_kafka::testing;
use dipmo_outbox::{Attempt, Delivery, Published, Publisher as _};
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use dipmo_store::{Inspect as _, Store as _, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use tokio_util::sync::CancellationToken;

/// Nothing here takes so long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Key, value and headers: all of a record that its producer decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) value: Option<Vec<u8>>,
    pub(crate) headers: Vec<Header>,
}

pub(crate) fn header(name: &str, value: Option<&[u8]>) -> Header {
    Header { name: name.to_owned(), value: value.map(<[u8]>::to_vec) }
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Reads a topic of one partition into an inbox, and answers what can be restored from there.
pub(crate) async fn consumed(topic: &str, count: usize) -> Vec<Content> {
    let folder = Folder(std::env::temp_dir().join(testing::unique_name("dipmo-foreign")));
    std::fs::create_dir_all(&folder.0).unwrap();
    let url = format!("sqlite:{}", folder.0.join("dipmo.db").display());
    let store = Arc::new(SqliteStore::open(SqliteOptions::new(&url)).await.unwrap());
    store.migrate(&Tables::default()).await.unwrap();
    let options = SourceOptions::new(testing::options(), &testing::unique_name("us"), [topic]);
    let source = KafkaSource::new(options, Inbound::new("foreign"), Arc::clone(&store) as _);
    let (source, stop) = (source.unwrap(), CancellationToken::new());
    let reading = async {
        let began = Instant::now();
        while store.inbox_rows(1_000).await.unwrap().len() < count {
            assert!(began.elapsed() < PATIENCE, "not all came: {:?}", source.health());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    };
    let (ran, ()) = tokio::join!(source.run(stop.clone()), reading);
    ran.unwrap();
    let rows = store.inbox_rows(1_000).await.unwrap();
    let mut records: Vec<Record> = rows.iter().map(|row| row.message.record().unwrap()).collect();
    records.sort_by_key(|record| record.offset);
    let content = |record: Record| Content {
        key: record.key,
        value: record.value,
        headers: record.headers.as_slice().to_vec(),
    };
    records.into_iter().map(content).collect()
}

/// Publishes these payloads for an aggregate with these headers, and answers what a reader must find.
pub(crate) async fn published(
    topic: &str,
    aggregate: &str,
    payloads: &[&str],
    headers: &[Header],
) -> Vec<Content> {
    let publisher = KafkaPublisher::new(KafkaSinkOptions::new(testing::options())).unwrap();
    let order_key = OrderKey::new(aggregate);
    let delivery = |(unit, payload): (i64, &&str)| Delivery {
        unit: OutboxId(unit),
        intent: OutboxId(unit),
        record: None,
        lane: order_key.lane(),
        order_key: order_key.clone(),
        destination: Destination::Kafka { topic: topic.to_owned() },
        aggregate_type: "PARCEL".to_owned(),
        aggregate_id: aggregate.to_owned(),
        event_type: "ParcelLeft".to_owned(),
        event_version: 3,
        payload: Json::from_bytes(payload.as_bytes()).unwrap(),
        headers_json: Some(Headers::new(headers.to_vec()).to_json().unwrap()),
        created_at: Timestamp::EPOCH,
        cause: Some(InboxId(unit + 100)),
        caused_at: None,
        reply_to: None,
        attempt: Attempt::Again { attempts: 0, retried: 0 },
        blocked_by: None,
    };
    let deliveries: Vec<Delivery> = (1..).zip(payloads).map(delivery).collect();
    let answers = publisher.publish(&deliveries).await;
    assert!(answers.iter().all(|it| matches!(it, Published::Delivered { .. })), "{answers:?}");
    let expected = |delivery: &Delivery| {
        let unit = delivery.unit.0;
        let ours = [
            ("message-id", format!("dipmo-{unit}")),
            ("event-type", "ParcelLeft".to_owned()),
            ("event-version", "3".to_owned()),
            ("aggregate-type", "PARCEL".to_owned()),
            ("aggregate-id", aggregate.to_owned()),
            ("causation-id", (unit + 100).to_string()),
        ];
        let ours = ours.iter().map(|(name, value)| header(name, Some(value.as_bytes())));
        Content {
            key: Some(aggregate.as_bytes().to_vec()),
            value: Some(delivery.payload.as_str().as_bytes().to_vec()),
            headers: headers.iter().cloned().chain(ours).collect(),
        }
    };
    deliveries.iter().map(expected).collect()
}
