//! The marker: an offset that a transaction commits with its records, and that says which job they are.
//!
//! It is the offset of partition 0 of the topic for the group that is named like the slot, and its
//! value is the id of the job. Nobody reads the topic as that group.

use std::time::Duration;

use dipmo_kafka::{ClientEvents, KafkaError, Settings};
use dipmo_outbox::JobId;
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerGroupMetadata};
use rdkafka::error::KafkaResult;
use rdkafka::{Offset, TopicPartitionList};

use crate::options::KafkaSinkOptions;

/// The partition that has the marker: every topic has it.
const PARTITION: i32 = 0;

/// The marker of a job, to be committed with its transaction.
pub(super) fn of(job: JobId, topic: &str) -> KafkaResult<TopicPartitionList> {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, PARTITION, Offset::Offset(job.0))?;
    Ok(list)
}

/// What the coordinator of groups knows of a slot; blocks while a client ends.
pub(super) fn group(
    options: &KafkaSinkOptions,
    slot: &str,
) -> Result<ConsumerGroupMetadata, KafkaError> {
    let nobody = || KafkaError::ClientRefused { problem: format!("{slot} is no group") };
    reader(options, slot)?.group_metadata().ok_or_else(nobody)
}

/// The job that was last committed by a slot for a topic; blocks until the broker answers.
///
/// An offset of a transaction that is being committed or aborted is waited for: without that, one
/// that is committed already would not be seen for a moment.
pub(super) fn read(
    options: &KafkaSinkOptions,
    slot: &str,
    topic: &str,
    within: Duration,
) -> Result<Option<JobId>, rdkafka::error::KafkaError> {
    let refused = |error: KafkaError| rdkafka::error::KafkaError::ClientCreation(error.to_string());
    let reader = reader(options, slot).map_err(refused)?;
    let mut list = TopicPartitionList::new();
    list.add_partition(topic, PARTITION);
    let list = reader.committed_offsets(list, within)?;
    let Some(marker) = list.find_partition(topic, PARTITION) else { return Ok(None) };
    marker.error()?;
    Ok(match marker.offset() {
        Offset::Offset(job) => Some(JobId(job)),
        _ => None,
    })
}

fn reader(
    options: &KafkaSinkOptions,
    slot: &str,
) -> Result<BaseConsumer<ClientEvents>, KafkaError> {
    // Only what says how to reach the cluster: the rest is about producers.
    let mut kafka = options.kafka.clone();
    kafka.properties.retain(|name, _| is_of_any_client(name));
    let owned = [
        ("group.id", slot),
        ("enable.auto.commit", "false"),
        // What is not decided yet is not answered.
        ("isolation.level", "read_committed"),
    ];
    let owned = owned.map(|(name, value)| (name, value.to_owned())).to_vec();
    let defaults = vec![("log.connection.close", "false".to_owned())];
    let config = kafka.config(&Settings { owned, defaults })?;
    kafka.client(&config, kafka.events())
}

/// librdkafka takes properties of producers for a consumer too, and warns of each.
fn is_of_any_client(property: &str) -> bool {
    ["ssl.", "sasl.", "socket.", "reconnect.", "broker.", "client.", "debug", "enable.ssl"]
        .iter()
        .any(|beginning| property.starts_with(beginning))
}
