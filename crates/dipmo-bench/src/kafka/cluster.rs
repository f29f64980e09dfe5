//! The broker as the bench uses it: topics, a bare producer, a bare consumer, and our parts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::{Body, NewMessage};
use dipmo_kafka::KafkaOptions;
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use dipmo_store::Store;
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::message::{BorrowedMessage, Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer};

/// How many partitions every topic has.
const PARTITIONS: i32 = 8;

/// How long the broker may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Cluster {
    servers: String,
}

impl Cluster {
    pub(crate) fn new(servers: &str) -> Self {
        Self { servers: servers.to_owned() }
    }

    pub(crate) fn servers(&self) -> &str {
        &self.servers
    }

    /// A new topic, under a name that no other run has.
    pub(crate) async fn topic(&self, what: &str) -> Result<String> {
        let name = unique(what)?;
        let admin: AdminClient<DefaultClientContext> = self.config().create()?;
        let topic = NewTopic::new(&name, PARTITIONS, TopicReplication::Fixed(1));
        let made = admin.create_topics(&[topic], &AdminOptions::new()).await;
        for result in made.with_context(|| format!("no topic at {}", self.servers))? {
            result.map_err(|(name, code)| anyhow::anyhow!("topic {name}: {code}"))?;
        }
        Ok(name)
    }

    /// Produces the messages as their producers would, with the settings of our publisher. Answers
    /// how long that took, until the last was acknowledged.
    pub(crate) async fn produce(&self, topic: &str, messages: &[NewMessage]) -> Result<Duration> {
        let producer = self.producer()?;
        let begun = Instant::now();
        for message in messages {
            send(&producer, topic, message)?;
        }
        tokio::task::block_in_place(|| producer.flush(PATIENCE))?;
        Ok(begun.elapsed())
    }

    /// A bare idempotent producer.
    pub(crate) fn producer(&self) -> Result<ThreadedProducer<DefaultProducerContext>> {
        self.producer_with("32768")
    }

    /// The same, with batches of another size.
    pub(crate) fn producer_with(
        &self,
        batch_size: &str,
    ) -> Result<ThreadedProducer<DefaultProducerContext>> {
        let mut config = self.config();
        config.set("enable.idempotence", "true").set("compression.type", "lz4");
        config.set("linger.ms", "5").set("batch.size", batch_size);
        Ok(config.create()?)
    }

    /// A bare consumer of a topic, in a group of its own.
    pub(crate) fn consumer(&self, topic: &str) -> Result<BaseConsumer> {
        self.consumer_with(topic, &[])
    }

    /// The same, with properties of its own.
    pub(crate) fn consumer_with(
        &self,
        topic: &str,
        properties: &[(&str, &str)],
    ) -> Result<BaseConsumer> {
        let mut config = self.config();
        for (name, value) in properties {
            config.set(*name, *value);
        }
        config.set("group.id", format!("{topic}-bare")).set("auto.offset.reset", "earliest");
        let consumer: BaseConsumer = config.set("enable.auto.commit", "false").create()?;
        consumer.subscribe(&[topic])?;
        Ok(consumer)
    }

    /// The shipped source, with the rules that a user of these payloads would write.
    pub(crate) fn source(&self, topic: &str, store: Arc<dyn Store>) -> Result<KafkaSource> {
        let rules = Rules {
            message_id: "json:/eventId".parse()?,
            aggregate_id: "key".parse()?,
            event_type: "header:ce_type".parse()?,
            ..Rules::default()
        };
        let inbound = Inbound::new("crm").topic(topic, rules)?;
        // Every database has a group of its own: a new one would adopt what another committed.
        let options = SourceOptions::new(self.options(), &unique("dipmo")?, [topic]);
        Ok(KafkaSource::new(options, inbound, store)?)
    }

    /// The shipped publisher, with transactions.
    pub(crate) fn publisher_exactly_once(&self) -> Result<Arc<KafkaPublisher>> {
        let options = KafkaSinkOptions::new(self.options());
        Ok(Arc::new(KafkaPublisher::new(KafkaSinkOptions { exactly_once: true, ..options })?))
    }

    /// The shipped publisher.
    pub(crate) fn publisher(&self) -> Result<Arc<KafkaPublisher>> {
        Ok(Arc::new(KafkaPublisher::new(KafkaSinkOptions::new(self.options()))?))
    }

    pub(crate) fn options(&self) -> KafkaOptions {
        KafkaOptions::new(&self.servers)
    }

    fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", &self.servers);
        config
    }
}

/// A name that no other run has.
fn unique(what: &str) -> Result<String> {
    let nanos = std::time::UNIX_EPOCH.elapsed().context("the clock is before 1970")?.as_nanos();
    Ok(format!("bench-{what}-{nanos:x}"))
}

/// The next record of a bare consumer. A poll that only joined the group gave none.
pub(crate) fn next(consumer: &BaseConsumer) -> Result<BorrowedMessage<'_>> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(polled) = consumer.poll(Duration::from_millis(100)) {
            return Ok(polled?);
        }
    }
    bail!("the topic gave nothing for half a minute")
}

/// Gives one message to the producer, waiting for room.
pub(crate) fn send(
    producer: &ThreadedProducer<DefaultProducerContext>,
    topic: &str,
    message: &NewMessage,
) -> Result<()> {
    let Body::Json(payload) = &message.body else { bail!("the load is all JSON") };
    let mut headers = OwnedHeaders::new();
    for header in message.headers.as_slice() {
        headers = headers.insert(Header { key: &header.name, value: header.value.as_deref() });
    }
    let key = message.key_str.as_deref().unwrap_or_default();
    let mut record = BaseRecord::to(topic).key(key).payload(payload.as_str()).headers(headers);
    loop {
        match producer.send(record) {
            Ok(()) => return Ok(()),
            Err((error, back))
                if error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull) =>
            {
                record = back;
                std::thread::sleep(Duration::from_millis(1));
            }
            Err((error, _)) => return Err(error.into()),
        }
    }
}
