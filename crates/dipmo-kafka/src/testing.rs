//! What tests against a real broker share: finding it, making a topic, reading one to its end.
//!
//! Everything here panics instead of failing politely: it is for tests only.

use std::path::Path;
use std::time::Duration;

use dipmo_domain::{Header, Headers};
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::{Headers as _, Message as _};
use rdkafka::metadata::MetadataPartition;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode;

use crate::{ClientEvents, KafkaOptions, Settings};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A record as any consumer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRecord {
    /// The partition.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
    /// The key.
    pub key: Option<Vec<u8>>,
    /// The value.
    pub value: Option<Vec<u8>>,
    /// The headers.
    pub headers: Headers,
    /// The timestamp in milliseconds, -1 without one.
    pub timestamp_millis: i64,
}

/// The broker that tests run on: `DIPMO_TEST_KAFKA`, else what `cargo xtask services up` started.
/// A test without a broker fails: a skip would read as passed.
#[must_use]
pub fn brokers() -> String {
    if let Ok(brokers) = std::env::var("DIPMO_TEST_KAFKA") {
        return brokers;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services/kafka.json");
    let state = std::fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!("no Kafka: run `cargo xtask services up` or set DIPMO_TEST_KAFKA ({error})")
    });
    let state: serde_json::Value = serde_json::from_str(&state).expect("a state file is JSON");
    state["bootstrap_servers"].as_str().expect("the state of Kafka names its brokers").to_owned()
}

/// Options for [`brokers`].
#[must_use]
pub fn options() -> KafkaOptions {
    KafkaOptions::new(&brokers())
}

/// A name that no other test and no other run has.
#[must_use]
pub fn unique_name(what: &str) -> String {
    format!("{what}-{:016x}", fastrand::u64(..))
}

/// A client that makes topics, deletes them and adds partitions.
#[must_use]
pub fn admin(options: &KafkaOptions) -> AdminClient<ClientEvents> {
    let config = options.config(&Settings::default()).expect("valid options");
    options.client(&config, options.events()).expect("a client")
}

/// A new topic under a name of its own.
pub async fn topic(what: &str, partitions: i32) -> String {
    topic_with(&options(), what, partitions, &[]).await
}

/// A new topic on some cluster, with settings of its own such as `max.message.bytes`.
pub async fn topic_with(
    options: &KafkaOptions,
    what: &str,
    partitions: i32,
    settings: &[(&str, &str)],
) -> String {
    let name = unique_name(what);
    create(options, &name, partitions, settings).await;
    name
}

/// A new topic under a given name. Once this returns, a client that asks is told of it.
pub async fn create(
    options: &KafkaOptions,
    name: &str,
    partitions: i32,
    settings: &[(&str, &str)],
) {
    let mut topic = NewTopic::new(name, partitions, TopicReplication::Fixed(1));
    for (name, value) in settings {
        topic = topic.set(name, value);
    }
    let admin = admin(options);
    let patience = AdminOptions::new().operation_timeout(Some(PATIENCE));
    for made in admin.create_topics(&[topic], &patience).await.expect("a broker") {
        made.expect("a new topic");
    }
    while partition_count(&admin, name) != usize::try_from(partitions).unwrap_or(0) {
        std::thread::yield_now();
    }
}

fn partition_count(admin: &AdminClient<ClientEvents>, name: &str) -> usize {
    let metadata = admin.inner().fetch_metadata(Some(name), PATIENCE).expect("a broker");
    metadata.topics().iter().find(|topic| topic.name() == name).map_or(0, |topic| {
        let led = topic.partitions().iter().filter(|it| it.error().is_none() && it.leader() >= 0);
        led.count()
    })
}

/// All records of a topic, each partition in its order.
#[must_use]
pub fn read_to_end(topic: &str) -> Vec<ReadRecord> {
    read_to_end_of(&options(), topic)
}

/// As [`read_to_end`], of some cluster.
#[must_use]
pub fn read_to_end_of(options: &KafkaOptions, topic: &str) -> Vec<ReadRecord> {
    let options = options.clone().with("group.id", &unique_name("reader"));
    let options = options.with("enable.partition.eof", "true").with("enable.auto.commit", "false");
    let config = options.config(&Settings::default()).expect("valid options");
    let consumer: BaseConsumer<ClientEvents> =
        options.client(&config, options.events()).expect("a client");
    let metadata = consumer.fetch_metadata(Some(topic), PATIENCE).expect("a broker");
    let mut open: Vec<i32> =
        metadata.topics()[0].partitions().iter().map(MetadataPartition::id).collect();
    let mut places = TopicPartitionList::new();
    for partition in &open {
        places.add_partition_offset(topic, *partition, Offset::Beginning).expect("a place");
    }
    consumer.assign(&places).expect("an assignment");
    let mut records = Vec::new();
    while !open.is_empty() {
        match consumer.poll(PATIENCE).expect("the topic can be read") {
            Ok(message) => records.push(record(&message)),
            Err(rdkafka::error::KafkaError::PartitionEOF(partition)) => {
                open.retain(|other| *other != partition);
            }
            // A reader that is not connected yet.
            Err(error)
                if error.rdkafka_error_code() == Some(RDKafkaErrorCode::AllBrokersDown)
                    || error.rdkafka_error_code()
                        == Some(RDKafkaErrorCode::BrokerTransportFailure) => {}
            Err(error) => panic!("reading {topic}: {error}"),
        }
    }
    records.sort_by_key(|record| (record.partition, record.offset));
    records
}

fn record(message: &rdkafka::message::BorrowedMessage<'_>) -> ReadRecord {
    let headers = message.headers().map_or_else(Vec::new, |headers| {
        let header = |header: rdkafka::message::Header<'_, &[u8]>| Header {
            name: header.key.to_owned(),
            value: header.value.map(<[u8]>::to_vec),
        };
        headers.iter().map(header).collect()
    });
    ReadRecord {
        partition: message.partition(),
        offset: message.offset(),
        key: message.key().map(<[u8]>::to_vec),
        value: message.payload().map(<[u8]>::to_vec),
        headers: Headers::new(headers),
        timestamp_millis: message.timestamp().to_millis().unwrap_or(-1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_new_topic_is_there_and_empty() {
        let topic = topic("testing", 3).await;
        assert!(read_to_end(&topic).is_empty());
    }
}
