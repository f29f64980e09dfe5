//! What a leg reads, as whom, and what fits into one transaction.

use std::time::Duration;

use dipmo_domain::Backoff;
use dipmo_kafka::{KafkaOptions, Settings};

use crate::chain::Chain;
use crate::error::LegError;

/// Options of a leg.
#[derive(Clone, Debug)]
pub struct LegOptions {
    /// The cluster, and any property of librdkafka that is not ours. All of it is on one cluster:
    /// no transaction spans two.
    pub kafka: KafkaOptions,
    /// What it is called in figures, logs and dead letters; a part of its transactional id.
    pub name: String,
    /// The consumer group. Instances with the same one share the partitions.
    pub group: String,
    /// The topics that are read, by their names: patterns would read the retry topics as well.
    pub topics: Vec<String>,
    /// A name for this instance that outlives it: after a crash the transaction that was open is
    /// aborted as soon as the instance is back, and no partitions move. No two instances may have
    /// the same. Defaults to none: then the broker waits for `transaction_timeout`.
    pub instance_id: Option<String>,
    /// Where to begin in a partition that the group has no offset of.
    pub start: Start,
    /// What fits into one transaction.
    pub batch: BatchLimits,
    /// After so long the broker aborts a transaction that nobody ends. Readers of committed records
    /// wait for it so long after a crash. Defaults to 20 s.
    pub transaction_timeout: Duration,
    /// Retry and dead-letter topics. Defaults to no retries, and `-dlt`.
    pub chain: Chain,
    /// How long the last transaction may take when the leg stops. Defaults to 5 s.
    pub grace: Duration,
}

/// Where to begin in a partition that the group has no offset of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// With the first record that is there.
    #[default]
    Earliest,
    /// With the first that comes from now on. Retry topics begin with their first record anyway.
    Latest,
}

/// When a transaction is committed at the latest: with the first limit that is reached. It is also
/// when nothing more is there to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Records that are read. Defaults to 10,000.
    pub records: usize,
    /// Bytes that are read and sent. Defaults to 8 MiB.
    pub bytes: usize,
    /// Since its first record. Defaults to 100 ms.
    pub time: Duration,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self { records: 10_000, bytes: 8 << 20, time: Duration::from_millis(100) }
    }
}

impl LegOptions {
    /// Defaults, for some topics.
    #[must_use]
    pub fn new<T: Into<String>>(
        kafka: KafkaOptions,
        name: &str,
        group: &str,
        topics: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            kafka,
            name: name.to_owned(),
            group: group.to_owned(),
            topics: topics.into_iter().map(Into::into).collect(),
            instance_id: None,
            start: Start::default(),
            batch: BatchLimits::default(),
            transaction_timeout: Duration::from_secs(20),
            chain: Chain { retries: Backoff::None, dead_letters: "-dlt".to_owned() },
            grace: Duration::from_secs(5),
        }
    }

    pub(crate) fn check(&self) -> Result<(), LegError> {
        let invalid = |problem: String| Err(LegError::Invalid { leg: self.name.clone(), problem });
        if self.name.is_empty() || self.group.is_empty() {
            return invalid("it has no name, or its consumer group has none".to_owned());
        }
        if self.topics.is_empty()
            || self.topics.iter().any(|it| it.is_empty() || it.starts_with('^'))
        {
            return invalid(
                "name at least one topic, none that is empty, and no pattern".to_owned(),
            );
        }
        if let Some(topic) = self.topics.iter().find(|topic| self.is_of_a_chain(topic)) {
            return invalid(format!("{topic:?} is a retry or dead-letter topic of another topic"));
        }
        if self.batch.records == 0 || self.batch.bytes == 0 {
            return invalid("a transaction takes at least one record and one byte".to_owned());
        }
        if self.batch.time * 4 > self.transaction_timeout {
            return invalid(format!(
                "a transaction may be open for {:?}, and the broker aborts it after {:?}: that is \
                 to be at least four times as long",
                self.batch.time, self.transaction_timeout
            ));
        }
        if self.chain.dead_letters.is_empty() {
            return invalid("dead letters would go back to where they came from".to_owned());
        }
        if self.chain.is_too_long() {
            return invalid(format!("it would need {} retry topics", self.chain.length()));
        }
        Ok(())
    }

    fn is_of_a_chain(&self, topic: &str) -> bool {
        let others = || self.topics.iter().filter(|other| *other != topic);
        others().any(|other| {
            topic == self.chain.dead_letter_topic(other)
                || self.chain.retry_topics(other).any(|retry| retry == topic)
        })
    }

    /// All topics that are read: those that are named, and their retry topics.
    pub(crate) fn all_topics(&self) -> Vec<String> {
        let retries = self.topics.iter().flat_map(|topic| self.chain.retry_topics(topic));
        self.topics.iter().cloned().chain(retries).collect()
    }

    pub(crate) fn consumer_settings(&self) -> Settings {
        let mut owned = vec![
            ("group.id", self.group.clone()),
            ("enable.auto.commit", "false".to_owned()),
            ("enable.auto.offset.store", "false".to_owned()),
            ("isolation.level", "read_committed".to_owned()),
            // We always say where to begin. What the broker has no more is an error and not a jump.
            ("auto.offset.reset", "error".to_owned()),
            ("enable.partition.eof", "false".to_owned()),
        ];
        if let Some(id) = &self.instance_id {
            owned.push(("group.instance.id", id.clone()));
        }
        let defaults = [
            ("partition.assignment.strategy", "cooperative-sticky"),
            ("heartbeat.interval.ms", "1000"),
            // Memory does not depend on the lag: this much is read ahead, whatever there is.
            ("queued.max.messages.kbytes", "16384"),
            ("queued.min.messages", "20000"),
            ("fetch.queue.backoff.ms", "5"),
            ("topic.metadata.refresh.interval.ms", "5000"),
            ("statistics.interval.ms", "1000"),
        ];
        let defaults = defaults.map(|(name, value)| (name, value.to_owned())).to_vec();
        Settings { owned, defaults }
    }

    pub(crate) fn producer_settings(&self, transactional_id: &str) -> Settings {
        let millis = |duration: Duration| duration.as_millis().max(1_000).to_string();
        let owned = vec![
            ("transactional.id", transactional_id.to_owned()),
            ("enable.idempotence", "true".to_owned()),
            ("acks", "all".to_owned()),
            ("max.in.flight", "5".to_owned()),
            ("retries", i32::MAX.to_string()),
            ("transaction.timeout.ms", millis(self.transaction_timeout)),
            ("delivery.timeout.ms", millis(self.transaction_timeout / 2)),
        ];
        let defaults = [
            ("linger.ms", "5"),
            ("batch.size", "131072"),
            ("compression.type", "lz4"),
            // Records of a key lie where a Java producer would put them.
            ("partitioner", "murmur2_random"),
            // What is too large is for the broker to say.
            ("message.max.bytes", "33554432"),
            ("topic.metadata.propagation.max.ms", "2000"),
            ("topic.metadata.refresh.interval.ms", "10000"),
            ("reconnect.backoff.max.ms", "2000"),
            // A broker that still ends the last transaction says so to whoever begins the next.
            ("retry.backoff.ms", "10"),
            ("socket.keepalive.enable", "true"),
            ("log.connection.close", "false"),
        ];
        let defaults = defaults.map(|(name, value)| (name, value.to_owned())).to_vec();
        Settings { owned, defaults }
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Coded as _;

    use super::*;

    fn options(topics: &[&str]) -> LegOptions {
        let kafka = KafkaOptions::new("localhost:1");
        LegOptions::new(kafka, "copy", "group", topics.iter().copied())
    }

    #[test]
    fn what_makes_no_sense_says_so() {
        assert!(options(&["orders"]).check().is_ok());
        let mut retried = options(&["orders", "orders-retry-2"]);
        assert!(retried.check().is_ok(), "without retries it is a topic as any other");
        retried.chain.retries = "fixed(1s, 2)".parse().unwrap();
        let mut long = options(&["orders"]);
        long.batch.time = Duration::from_secs(10);
        for wrong in [options(&[]), options(&["^all"]), options(&["a", "a-dlt"]), retried, long] {
            assert_eq!(wrong.check().unwrap_err().code().as_str(), "kafka-leg-invalid");
        }
    }

    #[test]
    fn nobody_can_turn_the_guarantees_off() {
        for (property, value) in [
            ("isolation.level", "read_uncommitted"),
            ("enable.auto.commit", "true"),
            ("auto.offset.reset", "latest"),
        ] {
            let options = options(&["orders"]);
            let kafka = options.kafka.clone().with(property, value);
            let error = kafka.config(&options.consumer_settings()).map(drop).unwrap_err();
            assert_eq!(error.code().as_str(), "kafka-property-owned", "{property}");
        }
        for (property, value) in
            [("transactional.id", "mine"), ("acks", "1"), ("enable.idempotence", "false")]
        {
            let options = options(&["orders"]);
            let kafka = options.kafka.clone().with(property, value);
            let error = kafka.config(&options.producer_settings("copy-1")).map(drop).unwrap_err();
            assert_eq!(error.code().as_str(), "kafka-property-owned", "{property}");
        }
    }

    #[test]
    fn retry_topics_are_read_too() {
        let mut options = options(&["a", "b"]);
        options.chain.retries = "fixed(1s, 1)".parse().unwrap();
        assert_eq!(options.all_topics(), ["a", "b", "a-retry-1", "b-retry-1"]);
    }
}
