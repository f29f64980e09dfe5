//! Kafka: whether brokers answer, topics are there, and may be read.
//!
//! Whether somebody may write is told by a broker only to who writes: a topic that is sent to is looked for,
//! and that is said.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use dipmo_config::model::action::Send;
use dipmo_config::{Place, Problem};
use dipmo_domain::Destination;
use dipmo_kafka::{ClientEvents, KafkaError, KafkaOptions, Settings};
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError as RdError;
use rdkafka::{Offset, TopicPartitionList};

use super::Row;
use crate::wiring::Pipeline;
use crate::wiring::problem::coded;
use crate::wiring::served::sent;
use crate::wiring::sources::SourcePlan;

/// Names of topics and how many partitions each has.
pub(super) type Topics = BTreeMap<String, i32>;

/// Asks about what a source reads.
pub(super) async fn source(plan: &SourcePlan, within: Duration) -> Vec<Row> {
    let asked = plan.clone();
    let rows = tokio::task::spawn_blocking(move || ask_source(&asked, within));
    rows.await.unwrap_or_default()
}

fn ask_source(plan: &SourcePlan, within: Duration) -> Vec<Row> {
    let at = format!("kafka, source {}", plan.name);
    let began = Instant::now();
    let kafka = &plan.options.kafka;
    let consumer = match consumer(kafka, &plan.options.group) {
        Ok(consumer) => consumer,
        Err(error) => return vec![Row::wrong(&at, "client", coded(&error, plan.place))],
    };
    let (brokers, topics) = match look(&consumer, within) {
        Ok(seen) => seen,
        Err(error) => return vec![Row::wrong(&at, "brokers", unreached(&error, plan.brokers))],
    };
    let mut rows = vec![Row::ok(&at, "brokers", format!("{brokers} answer"))];
    for (topic, place) in &plan.topics {
        let what = format!("topic {topic}");
        let found: Vec<(&String, &i32)> =
            topics.iter().filter(|(name, _)| matches(topic, name)).collect();
        let row = match found.as_slice() {
            [] if topic.starts_with('^') => Row::ok(&at, what, "chosen by the broker"),
            [] if topic.contains('*') => Row::ok(&at, what, "no topic has such a name yet"),
            [] => Row::wrong(&at, what, absent(topic, *place, topics.keys())),
            found => {
                let left = within.saturating_sub(began.elapsed());
                match found.iter().try_for_each(|(name, _)| read(&consumer, name, left)) {
                    Ok(()) => {
                        let partitions: i32 =
                            found.iter().map(|(_, partitions)| **partitions).sum();
                        Row::ok(&at, what, format!("{partitions} partitions, may be read"))
                    }
                    Err(error) => Row::wrong(&at, what, coded(&error, *place)),
                }
            }
        };
        rows.push(row);
    }
    rows.push(match group(&consumer, &topics, plan, within.saturating_sub(began.elapsed())) {
        Ok(()) => Row::ok(&at, format!("group {}", plan.options.group), "may be joined"),
        Err(error) => {
            let what = format!("group {}", plan.options.group);
            Row::wrong(&at, what, coded(&error, plan.place))
        }
    });
    rows
}

/// Asks about the topics that processes send to.
pub(super) async fn sink(pipeline: &Pipeline, within: Duration) -> Vec<Row> {
    let Some(plan) = &pipeline.kafka else { return Vec::new() };
    let (kafka, place) = (plan.options.kafka.clone(), plan.brokers);
    let mut wanted: BTreeMap<String, Place> = BTreeMap::new();
    for to in sent(&pipeline.config).flat_map(|send: &Send| send.to.iter()) {
        if let Destination::Kafka { topic } = &to.value {
            wanted.entry(topic.clone()).or_insert(to.place);
        }
    }
    let rows = tokio::task::spawn_blocking(move || ask_sink(&kafka, place, &wanted, within));
    rows.await.unwrap_or_default()
}

fn ask_sink(
    kafka: &KafkaOptions,
    place: Place,
    wanted: &BTreeMap<String, Place>,
    within: Duration,
) -> Vec<Row> {
    let at = "kafka, destination";
    // A consumer, which never makes a topic by asking for it.
    let seen = consumer(kafka, "dipmo-probe").and_then(|consumer| look(&consumer, within));
    let (brokers, topics) = match seen {
        Ok(seen) => seen,
        Err(error) => return vec![Row::wrong(at, "brokers", unreached(&error, place))],
    };
    let mut rows = vec![Row::ok(at, "brokers", format!("{brokers} answer"))];
    rows.extend(wanted.iter().map(|(topic, place)| {
        let what = format!("topic {topic}");
        match topics.get(topic) {
            Some(partitions) => {
                let answer = format!("{partitions} partitions; only writing tells who may write");
                Row::ok(at, what, answer)
            }
            None => Row::wrong(at, what, absent(topic, *place, topics.keys())),
        }
    }));
    rows
}

pub(super) fn consumer(
    kafka: &KafkaOptions,
    group: &str,
) -> Result<BaseConsumer<ClientEvents>, KafkaError> {
    let owned = [
        ("group.id", group),
        ("enable.auto.commit", "false"),
        ("enable.partition.eof", "true"),
        ("allow.auto.create.topics", "false"),
    ];
    let owned = owned.map(|(name, value)| (name, value.to_owned())).to_vec();
    let config = kafka.config(&Settings { owned, ..Settings::default() })?;
    kafka.client(&config, kafka.events())
}

/// How many brokers there are, and their topics. What the client says by itself tells more than that
/// nobody answered.
pub(super) fn look(
    consumer: &BaseConsumer<ClientEvents>,
    within: Duration,
) -> Result<(usize, Topics), KafkaError> {
    let began = Instant::now();
    loop {
        let step = Duration::from_secs(2).min(within);
        match consumer.fetch_metadata(None, step) {
            Ok(seen) => {
                let topics = seen.topics().iter().map(|topic| {
                    (topic.name().to_owned(), i32::try_from(topic.partitions().len()).unwrap_or(0))
                });
                return Ok((seen.brokers().len(), topics.collect()));
            }
            Err(error) => {
                // Errors of the client are told to who polls.
                while consumer.poll(Duration::from_millis(50)).is_some() {}
                let said = consumer.context().last_error();
                let refused = matches!(said, Some(KafkaError::LoginRefused { .. }));
                if refused || began.elapsed() >= within {
                    return Err(said.unwrap_or_else(|| KafkaError::of(&error)));
                }
            }
        }
    }
}

/// Reads at the end of a topic: nothing comes, and who may not read is told so.
fn read(
    consumer: &BaseConsumer<ClientEvents>,
    topic: &str,
    within: Duration,
) -> Result<(), KafkaError> {
    let mut list = TopicPartitionList::new();
    let added = list.add_partition_offset(topic, 0, Offset::End);
    let assigned = added.and_then(|()| consumer.assign(&list));
    assigned.map_err(|error| KafkaError::of(&error))?;
    let began = Instant::now();
    while began.elapsed() < within {
        match consumer.poll(Duration::from_millis(100)) {
            None => {}
            Some(Ok(_) | Err(RdError::PartitionEOF(_))) => return Ok(()),
            Some(Err(error)) => return Err(KafkaError::of(&error)),
        }
    }
    let problem = format!("{topic} did not answer in time");
    Err(consumer.context().last_error().unwrap_or(KafkaError::Unreachable { problem }))
}

/// Asks what the group has committed, which only who may join it is told.
fn group(
    consumer: &BaseConsumer<ClientEvents>,
    topics: &Topics,
    plan: &SourcePlan,
    within: Duration,
) -> Result<(), KafkaError> {
    let mut list = TopicPartitionList::new();
    for (topic, _) in plan.topics.iter().filter(|(topic, _)| topics.contains_key(topic)) {
        list.add_partition(topic, 0);
    }
    if list.count() == 0 {
        return Ok(());
    }
    consumer.committed_offsets(list, within).map(drop).map_err(|error| KafkaError::of(&error))
}

fn matches(pattern: &str, topic: &str) -> bool {
    match pattern.split_once('*') {
        _ if pattern.starts_with('^') => false,
        None => pattern == topic,
        Some((head, tail)) => {
            topic.len() >= head.len() + tail.len()
                && topic.starts_with(head)
                && (tail.contains('*') || topic.ends_with(tail))
        }
    }
}

pub(super) fn absent<'a>(
    topic: &str,
    place: Place,
    known: impl Iterator<Item = &'a String>,
) -> Problem {
    let error = KafkaError::TopicUnknown {
        problem: format!("{topic} is not there, or this login may not see it"),
    };
    let near = dipmo_config::did_you_mean(topic, known.map(String::as_str));
    coded(&error, place)
        .hint(near.unwrap_or_else(|| "dipmo makes no topics: make it first".to_owned()))
}

pub(super) fn unreached(error: &KafkaError, place: Place) -> Problem {
    let hint = "is the broker up, and are address, protocol and login those of its listener?";
    coded(error, place).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_means_topics_as_the_source_does() {
        assert!(matches("orders", "orders") && !matches("orders", "orders-eu"));
        assert!(matches("orders-*", "orders-eu") && !matches("orders-*", "order"));
        assert!(matches("*-eu", "orders-eu") && !matches("a*a", "a"));
    }
}
