//! The road from Kafka to Kafka: a broker, a database, and instances that read, decide and publish.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use dipmo_inbound::{Inbound, Rules};
use dipmo_kafka::testing::{self, OwnBroker, OwnCluster, ReadRecord};
use dipmo_kafka::{ClientEvents, KafkaOptions, Settings};
use dipmo_processing::Engine;
use dipmo_sink_kafka::{KafkaPublisher, KafkaSinkOptions};
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use dipmo_store::Store;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::{Offset, TopicPartitionList};

use super::child::Child;
use super::deliveries::{self, Line};
use super::engine::{self, STRICT, hurried};
use super::foreign::Foreign;
use super::place::Place;
use super::sent::Sent;
use super::step::Step;
use super::{books, look};

/// What the processes read.
pub(crate) const NUMBERS: &str = "numbers";
/// The topic of [`STRICT`].
pub(crate) const STRICT_TOPIC: &str = "strict";
/// Enough for three instances to have two each.
const PARTITIONS: i32 = 6;
const GROUP: &str = "fire";
/// Who publishes waits for the broker so long; shorter than a lease.
const DEADLINE: Duration = Duration::from_secs(2);

pub(crate) const BROKER: &str = "DIPMO_FIRE_BROKER";
/// The name of an instance, if it has one that outlives it.
const INSTANCE: &str = "DIPMO_FIRE_INSTANCE";
/// Set for an instance that does not commit before it stops.
const LATE: &str = "DIPMO_FIRE_COMMITS_LATE";

/// Set for an instance that publishes in transactions.
const ONCE: &str = "DIPMO_FIRE_EXACTLY_ONCE";
/// A job may take longer than a slice, and its calls are given up later.
const ONCE_DEADLINE: Duration = Duration::from_secs(10);

/// In a child: reads the numbers.
pub(crate) fn source(broker: &str, store: Arc<dyn Store>) -> KafkaSource {
    let mut options = source_options(broker);
    options.instance_id = std::env::var(INSTANCE).ok();
    if std::env::var_os(LATE).is_some() {
        options.commit_every = Duration::from_secs(3_600);
    }
    source_with(options, store)
}

/// How the numbers are read.
pub(crate) fn source_options(broker: &str) -> SourceOptions {
    // An instance that is killed is missed soon.
    let kafka = KafkaOptions::new(broker)
        .with("session.timeout.ms", "6000")
        .with("heartbeat.interval.ms", "500");
    SourceOptions::new(kafka, GROUP, [NUMBERS])
}

/// Reads the numbers in a way of its own.
pub(crate) fn source_with(options: SourceOptions, store: Arc<dyn Store>) -> KafkaSource {
    let rules = Rules { aggregate_id: "key".parse().unwrap(), ..Rules::default() };
    let inbound = Inbound::new("fire").topic(NUMBERS, rules).unwrap();
    KafkaSource::new(options, inbound, store).unwrap()
}

/// Decides and publishes.
pub(crate) fn engine(broker: &str, store: Arc<dyn Store>) -> Engine {
    let mut options = hurried();
    options.dispatch.deadline = DEADLINE;
    let exactly_once = std::env::var_os(ONCE).is_some();
    let deadline = if exactly_once { ONCE_DEADLINE } else { DEADLINE };
    let sink = KafkaSinkOptions::new(KafkaOptions::new(broker));
    let sink = KafkaSinkOptions { deadline, exactly_once, ..sink };
    let publisher = Arc::new(KafkaPublisher::new(sink).unwrap());
    engine::engine(store, options, "KAFKA:*", publisher)
}

/// In a parent: all that instances share.
pub(crate) struct Road<B = OwnBroker> {
    pub(crate) broker: B,
    pub(crate) place: Place,
    pub(crate) producer: Foreign,
    kafka: KafkaOptions,
    test: &'static str,
    exactly_once: bool,
}

impl Road {
    pub(crate) async fn new(test: &'static str) -> Self {
        let broker = tokio::task::block_in_place(OwnBroker::start);
        Self::on(broker.options(), broker, test).await
    }
}

impl Road<OwnCluster> {
    /// On three brokers instead of one.
    pub(crate) async fn of_three(test: &'static str) -> Self {
        let cluster = tokio::task::block_in_place(OwnCluster::start);
        Self::on(cluster.options(), cluster, test).await
    }
}

impl<B> Road<B> {
    async fn on(kafka: KafkaOptions, broker: B, test: &'static str) -> Self {
        testing::create(&kafka, NUMBERS, PARTITIONS, &[]).await;
        testing::create(&kafka, STRICT_TOPIC, 3, &[]).await;
        let producer = Foreign::new(&kafka.bootstrap_servers);
        let place = Place::postgres().await;
        Self { broker, place, producer, kafka, test, exactly_once: false }
    }

    /// With instances that publish in transactions.
    pub(crate) fn exactly_once(self) -> Self {
        Self { exactly_once: true, ..self }
    }

    /// An instance; with a name, its successor of that name gets its partitions at once.
    pub(crate) fn instance(&self, name: Option<&str>) -> Child {
        self.child(name.map(|name| (INSTANCE, name)).as_slice())
    }

    /// An instance that does not commit before it stops.
    pub(crate) fn late_instance(&self, name: &str) -> Child {
        self.child(&[(INSTANCE, name), (LATE, "1")])
    }

    fn child(&self, variables: &[(&'static str, &str)]) -> Child {
        let broker = self.kafka.bootstrap_servers.as_str();
        let once = self.exactly_once.then_some((ONCE, "1"));
        let variables = [(BROKER, broker)].into_iter().chain(variables.iter().copied());
        let variables = variables.chain(once);
        let variables = variables.map(|(name, value)| (name, OsStr::new(value)));
        Child::start_with(self.test, &self.place, variables)
    }

    /// Waits until everything that was sent has been stored, committed, processed and published.
    pub(crate) async fn until_all_arrived(&self) {
        self.producer.flush();
        self.until_stored().await;
        let (consumer, ends) = (self.consumer(), self.ends());
        look::until("committed everything", async || committed(&consumer) == ends).await;
        books::until_drained(&self.place).await;
    }

    /// Waits until the database has everything that the topic has.
    pub(crate) async fn until_stored(&self) {
        let ends = self.ends();
        look::until("stored everything", async || self.stored().await == ends).await;
    }

    /// Checks everything there is to check once all instances have stopped: the books of the
    /// database, the topic that was published to, and what is known of the offsets.
    pub(crate) async fn check(&self, sent: &Sent) {
        books::check(&self.place, sent).await;
        deliveries::check_first(&self.published(), STRICT, sent);
        assert_eq!(self.stored().await, self.ends());
        assert_eq!(self.committed(), self.ends());
    }

    /// What any consumer finds published.
    pub(crate) fn published(&self) -> Vec<Line> {
        let records =
            tokio::task::block_in_place(|| testing::read_to_end_of(&self.kafka, STRICT_TOPIC));
        let mut homes = BTreeMap::new();
        let line = |record: &ReadRecord| {
            let step: Step = serde_json::from_slice(record.value.as_deref().unwrap()).unwrap();
            let aggregate = String::from_utf8(record.key.clone().unwrap()).unwrap();
            let home = *homes.entry(aggregate.clone()).or_insert(record.partition);
            assert_eq!(home, record.partition, "{aggregate} is in two partitions");
            Line {
                slice: home.to_string(),
                destination: STRICT.to_owned(),
                aggregate,
                n: step.n,
                id: record.headers.text("message-id").unwrap().to_owned(),
            }
        };
        records.iter().map(line).collect()
    }

    /// The next offset of each partition, by the database.
    pub(crate) async fn stored(&self) -> Vec<i64> {
        let query = format!(
            "select NEXT_OFFSET from inbox_offset \
             where CONSUMER_GROUP = '{GROUP}' and TOPIC = '{NUMBERS}' order by PARTITION_NUM"
        );
        let rows = self.place.rows(&query).await;
        rows.iter().map(|row| row[0].parse().unwrap()).collect()
    }

    /// The same, by what the group committed; -1 for nothing.
    pub(crate) fn committed(&self) -> Vec<i64> {
        committed(&self.consumer())
    }

    /// Where each partition ends.
    fn ends(&self) -> Vec<i64> {
        let consumer = self.consumer();
        let end =
            |partition| consumer.fetch_watermarks(NUMBERS, partition, look::PATIENCE).unwrap().1;
        tokio::task::block_in_place(|| (0..PARTITIONS).map(end).collect())
    }

    /// A consumer that only asks.
    fn consumer(&self) -> BaseConsumer<ClientEvents> {
        let options = self.kafka.clone().with("group.id", GROUP);
        let config = options.config(&Settings::default()).unwrap();
        options.client(&config, options.events()).unwrap()
    }
}

fn committed(consumer: &BaseConsumer<ClientEvents>) -> Vec<i64> {
    let mut list = TopicPartitionList::new();
    list.add_partition_range(NUMBERS, 0, PARTITIONS - 1);
    let list = tokio::task::block_in_place(|| consumer.committed_offsets(list, look::PATIENCE));
    let list = list.unwrap();
    let offset = |partition| match list.find_partition(NUMBERS, partition).unwrap().offset() {
        Offset::Offset(offset) => offset,
        _ => -1,
    };
    (0..PARTITIONS).map(offset).collect()
}
