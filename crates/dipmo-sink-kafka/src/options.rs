//! What a publisher can be told, and what its guarantees hang on.

use std::time::Duration;

use dipmo_kafka::{KafkaError, KafkaOptions, Settings};

/// Options of the publisher for `KAFKA:<topic>`.
#[derive(Clone, Debug)]
pub struct KafkaSinkOptions {
    /// How to reach the cluster. Its properties may change the defaults of the producer: 5 ms of
    /// linger, batches of 32 KB, lz4, the partitioner of Kafka's Java client.
    pub kafka: KafkaOptions,
    /// The dispatcher's deadline for a slice. The producer gives a record up so much earlier that
    /// the answer is there in time: nothing may still be on its way when the dispatcher thinks
    /// that nothing is. Defaults to 10 s, as the dispatcher's.
    pub deadline: Duration,
    /// Stands before every message id. Two databases that publish to the same topic count their
    /// deliveries from one each: give them different ones. Defaults to nothing.
    pub message_id_prefix: String,
}

/// Whether the records of a producer share requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Company {
    /// As many in a batch as fit.
    Shared,
    /// One record a batch, so that a refusal of the batch is one of the record.
    Alone,
}

impl KafkaSinkOptions {
    /// The defaults, for a cluster.
    #[must_use]
    pub fn new(kafka: KafkaOptions) -> Self {
        Self { kafka, deadline: Duration::from_secs(10), message_id_prefix: String::new() }
    }

    /// After so long no more records of a slice are begun.
    pub(crate) fn begin_within(&self) -> Duration {
        self.deadline * 2 / 5
    }

    /// After so long a record that was begun is given up by librdkafka, within a second or so.
    fn give_up_after(&self) -> Duration {
        self.deadline * 2 / 5
    }

    /// After so long a slice is answered for, whatever is missing.
    pub(crate) fn answer_within(&self) -> Duration {
        self.deadline * 19 / 20
    }

    pub(crate) fn settings(&self, company: Company) -> Result<Settings, KafkaError> {
        if self.kafka.properties.contains_key("transactional.id") {
            return Err(KafkaError::PropertyOwned {
                property: "transactional.id".to_owned(),
                instead: "a publisher has no transactions".to_owned(),
            });
        }
        let mut owned = vec![
            ("enable.idempotence", "true".to_owned()),
            ("acks", "all".to_owned()),
            ("max.in.flight", "5".to_owned()),
            ("retries", i32::MAX.to_string()),
            ("delivery.timeout.ms", self.give_up_after().as_millis().max(100).to_string()),
            // A refused record must not end the producer: others have nothing to do with it.
            ("enable.gapless.guarantee", "false".to_owned()),
        ];
        if company == Company::Alone {
            owned.push(("batch.num.messages", "1".to_owned()));
        }
        let defaults = [
            ("linger.ms", "5"),
            ("batch.size", "32768"),
            ("compression.type", "lz4"),
            // Records of a key lie where a Java producer would put them.
            ("partitioner", "murmur2_random"),
            // What is too large is for the broker to say.
            ("message.max.bytes", "33554432"),
            ("queue.buffering.max.kbytes", "65536"),
            // A topic that is not there is noticed before a record is given up, and one that
            // appears is noticed soon.
            ("topic.metadata.propagation.max.ms", "2000"),
            ("topic.metadata.refresh.interval.ms", "10000"),
            ("reconnect.backoff.max.ms", "2000"),
            ("socket.keepalive.enable", "true"),
            ("log.connection.close", "false"),
        ];
        let defaults = defaults.map(|(name, value)| (name, value.to_owned())).to_vec();
        Ok(Settings { owned, defaults })
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Coded as _;

    use super::*;

    fn options(property: &str, value: &str) -> KafkaSinkOptions {
        KafkaSinkOptions::new(KafkaOptions::new("localhost:1").with(property, value))
    }

    #[test]
    fn trap_24_nobody_can_turn_the_guarantees_off() {
        for (property, value) in [
            ("enable.idempotence", "false"),
            ("acks", "1"),
            ("request.required.acks", "1"),
            ("message.timeout.ms", "0"),
            ("max.in.flight.requests.per.connection", "100"),
            ("transactional.id", "mine"),
        ] {
            let options = options(property, value);
            let settings = options.settings(Company::Shared);
            let config = settings.and_then(|settings| options.kafka.config(&settings));
            let code = config.map(drop).unwrap_err().code();
            assert_eq!(code.as_str(), "kafka-property-owned", "{property}");
        }
    }

    #[test]
    fn everything_is_answered_for_before_the_deadline() {
        let options = options("linger.ms", "50");
        let last = options.begin_within() + options.give_up_after() + Duration::from_secs(1);
        assert!(last <= options.answer_within() && options.answer_within() < options.deadline);
    }
}
