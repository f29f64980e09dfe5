//! Reads a topic as any consumer would.

use dipmo_domain::{Header, Headers};
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};
use rdkafka::metadata::MetadataPartition;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rdkafka::types::RDKafkaErrorCode;

use super::{PATIENCE, options, unique_name};
use crate::{ClientEvents, KafkaOptions, Settings};

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

fn record(message: &BorrowedMessage<'_>) -> ReadRecord {
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
