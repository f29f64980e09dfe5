//! What a source reads, as whom, and in which portions.

use std::time::Duration;

use dipmo_kafka::{KafkaOptions, Settings};

use crate::assignment::Start;
use crate::batch::BatchLimits;
use crate::error::SourceError;
use crate::pausing::PressureLimits;

/// Options of a source.
#[derive(Clone, Debug)]
pub struct SourceOptions {
    /// The cluster, and any property of librdkafka that is not ours.
    pub kafka: KafkaOptions,
    /// The consumer group. Instances with the same one share the partitions.
    pub group: String,
    /// Topics, and patterns that begin with `^`, such as `^orders-.*`. A topic may appear later.
    pub topics: Vec<String>,
    /// A name for this instance that outlives it: a restart within the session time-out moves no
    /// partitions. No two instances may have the same. Defaults to none.
    pub instance_id: Option<String>,
    /// Where to begin in a partition that neither the database nor the broker knows.
    pub start: Start,
    /// Whether a group that the database does not know goes on where it committed to the broker,
    /// as when dipmo takes over from another consumer. Defaults to true; otherwise `start` decides.
    pub adopt_committed: bool,
    /// When a batch is stored.
    pub batch: BatchLimits,
    /// When reading pauses.
    pub pressure: PressureLimits,
    /// How often stored offsets are committed to the broker. They are for its tools and for other
    /// consumers: the database knows better. Defaults to 500 ms.
    pub commit_every: Duration,
    /// How long a batch may wait for the database before reading pauses. Defaults to 500 ms.
    pub pause_after: Duration,
    /// How long storing may take when the source stops; leaving the group takes up to
    /// [`FAREWELL`](crate::FAREWELL) more. Defaults to 5 s.
    pub grace: Duration,
}

impl SourceOptions {
    /// Defaults, for some topics.
    #[must_use]
    pub fn new<T: Into<String>>(
        kafka: KafkaOptions,
        group: &str,
        topics: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            kafka,
            group: group.to_owned(),
            topics: topics.into_iter().map(Into::into).collect(),
            instance_id: None,
            start: Start::default(),
            adopt_committed: true,
            batch: BatchLimits::default(),
            pressure: PressureLimits::default(),
            commit_every: Duration::from_millis(500),
            pause_after: Duration::from_millis(500),
            grace: Duration::from_secs(5),
        }
    }

    pub(crate) fn check(&self) -> Result<(), SourceError> {
        let invalid = |problem: &str| Err(SourceError::Invalid { problem: problem.to_owned() });
        if self.group.is_empty() {
            return invalid("the consumer group has no name");
        }
        if self.topics.is_empty() || self.topics.iter().any(String::is_empty) {
            return invalid("name at least one topic or pattern, and none that is empty");
        }
        if self.batch.records == 0 || self.batch.bytes == 0 {
            return invalid("a batch takes at least one record and one byte");
        }
        Ok(())
    }

    /// Properties of the client.
    pub(crate) fn settings(&self) -> Settings {
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
            // The others hear at their next heartbeat that a member is gone. The default of three
            // seconds would stand in every take-over, on top of the time-out of its session.
            ("heartbeat.interval.ms", "1000"),
            // Memory does not depend on the lag: this much is read ahead, whatever there is.
            ("queued.max.messages.kbytes", "2048"),
            ("queued.min.messages", "10000"),
            ("fetch.max.bytes", "2097152"),
            // How long a full queue is left alone. The default of a second would stall us.
            ("fetch.queue.backoff.ms", "5"),
            // New topics and partitions are found this soon.
            ("topic.metadata.refresh.interval.ms", "5000"),
            ("statistics.interval.ms", "1000"),
        ];
        let defaults = defaults.map(|(name, value)| (name, value.to_owned())).to_vec();
        Settings { owned, defaults }
    }

    /// The topics that are named in full.
    pub(crate) fn named_topics(&self) -> impl Iterator<Item = &str> {
        self.topics.iter().map(String::as_str).filter(|topic| !topic.starts_with('^'))
    }
}
