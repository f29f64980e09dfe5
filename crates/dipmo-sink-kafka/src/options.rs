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
    /// Whether a reader of committed records finds every record exactly once: what goes out, goes
    /// out in transactions of Kafka, each a job of the outbox. Defaults to false: a crash between
    /// the acknowledgement and the settlement sends a record again.
    pub exactly_once: bool,
}

/// How long the broker keeps a transaction open, at least and at most: what it takes by default.
const SHORTEST_OPEN: Duration = Duration::from_secs(10);
const LONGEST_OPEN: Duration = Duration::from_secs(900);

/// What a call of a transaction takes where a coordinator has to be found first, at least.
const SHORTEST_CALL: Duration = Duration::from_secs(5);

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
        Self {
            kafka,
            deadline: Duration::from_secs(10),
            message_id_prefix: String::new(),
            exactly_once: false,
        }
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

    /// How long one call of a transaction may take, however short the deadline: a job that was given can
    /// only be gone on with when Kafka has said how it stands.
    pub(crate) fn call_within(&self) -> Duration {
        (self.deadline * 2 / 5).max(SHORTEST_CALL)
    }

    /// The broker ends a transaction that is open for so long, and readers wait no longer for it. Not
    /// before one that gets on could have been committed.
    pub(crate) fn open_for(&self) -> Duration {
        (self.deadline * 3).clamp(SHORTEST_OPEN, LONGEST_OPEN)
    }

    /// The settings of a producer of transactions under a name.
    pub(crate) fn settings_of_transactions(
        &self,
        company: Company,
        name: &str,
    ) -> Result<Settings, KafkaError> {
        let mut settings = self.settings(company)?;
        // No slice waits for it, and the coordinator may keep the first record waiting.
        settings.owned.retain(|(property, _)| *property != "delivery.timeout.ms");
        let give_up_after = self.deadline.clamp(SHORTEST_OPEN / 2, LONGEST_OPEN / 2);
        settings.owned.push(("delivery.timeout.ms", give_up_after.as_millis().to_string()));
        settings.owned.push(("transactional.id", name.to_owned()));
        settings.owned.push(("transaction.timeout.ms", self.open_for().as_millis().to_string()));
        Ok(settings)
    }

    pub(crate) fn settings(&self, company: Company) -> Result<Settings, KafkaError> {
        // Named here and not owned, because librdkafka warns of whoever sets the second one, to whatever.
        for (property, instead) in [
            (
                "transactional.id",
                "`exactly_once` says whether there are any, and they get names of their own",
            ),
            (
                "enable.gapless.guarantee",
                "a refused record must not end the producer of all others",
            ),
        ] {
            if self.kafka.properties.contains_key(property) {
                let (property, instead) = (property.to_owned(), instead.to_owned());
                return Err(KafkaError::PropertyOwned { property, instead });
            }
        }
        let mut owned = vec![
            ("enable.idempotence", "true".to_owned()),
            ("acks", "all".to_owned()),
            ("max.in.flight", "5".to_owned()),
            ("retries", i32::MAX.to_string()),
            ("delivery.timeout.ms", self.give_up_after().as_millis().max(100).to_string()),
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
            ("enable.gapless.guarantee", "true"),
        ] {
            let options = options(property, value);
            let settings = options.settings(Company::Shared);
            let config = settings.and_then(|settings| options.kafka.config(&settings));
            let code = config.map(drop).unwrap_err().code();
            assert_eq!(code.as_str(), "kafka-property-owned", "{property}");
        }
    }

    #[test]
    fn a_call_of_a_transaction_has_time_however_short_the_deadline_is() {
        let within = |seconds| {
            let deadline = Duration::from_secs(seconds);
            let options = KafkaSinkOptions { deadline, ..options("linger.ms", "5") };
            options.call_within().as_secs()
        };
        assert_eq!([within(0), within(1), within(10), within(60)], [5, 5, 5, 24]);
    }

    #[test]
    fn everything_is_answered_for_before_the_deadline() {
        let options = options("linger.ms", "50");
        let last = options.begin_within() + options.give_up_after() + Duration::from_secs(1);
        assert!(last <= options.answer_within() && options.answer_within() < options.deadline);
    }
}
