//! Topics on a broker, a producer, and a leg that runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_inbox::Record;
use dipmo_kafka::testing::{self, ReadRecord};
use dipmo_kafka::{ClientEvents, KafkaOptions, Settings};
use dipmo_leg_kafka::{
    Applied, Chain, Health, KafkaLeg, LegError, LegOptions, Outgoing, Snapshot, Transform,
};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer as _, ThreadedProducer};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// What most tests need.
pub(crate) struct Rig {
    pub(crate) kafka: KafkaOptions,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) group: String,
    producer: ThreadedProducer<DefaultProducerContext>,
}

impl Rig {
    /// Two new topics.
    pub(crate) async fn new(partitions: i32) -> Self {
        Self::on(&testing::options(), partitions).await
    }

    /// Two new topics of some cluster.
    pub(crate) async fn on(kafka: &KafkaOptions, partitions: i32) -> Self {
        let from = testing::topic_with(kafka, "leg-in", partitions, &[]).await;
        let to = testing::topic_with(kafka, "leg-out", partitions, &[]).await;
        Self::of(kafka, from, to, testing::unique_name("leg"))
    }

    /// Topics that are there.
    pub(crate) fn of(kafka: &KafkaOptions, from: String, to: String, group: String) -> Self {
        let config = kafka.clone().with("linger.ms", "5").config(&Settings::default()).unwrap();
        let producer = config.create().unwrap();
        Self { kafka: kafka.clone(), from, to, group, producer }
    }

    /// Makes the retry topics and the topic for dead letters.
    pub(crate) async fn make_chain(&self, chain: &Chain) {
        let retries = chain.retry_topics(&self.from);
        for topic in retries.chain([chain.dead_letter_topic(&self.from)]) {
            testing::create(&self.kafka, &topic, 1, &[]).await;
        }
    }

    pub(crate) fn options(&self) -> LegOptions {
        LegOptions::new(self.kafka.clone(), &self.group, &self.group, [&self.from])
    }

    /// Sends what it reads on as it is.
    pub(crate) fn copying(&self) -> Arc<dyn Transform> {
        let to = self.to.clone();
        Arc::new(move |record: &Record| Applied::Send(vec![copy(record, &to)]))
    }

    pub(crate) fn start(&self, options: LegOptions) -> Running {
        Running::new(options, self.copying())
    }

    pub(crate) fn send(&self, record: BaseRecord<'_, [u8], [u8]>) {
        self.producer.send(record).map_err(|(error, _)| error).unwrap();
    }

    /// Sends numbers, each with itself as key.
    pub(crate) fn send_numbers(&self, numbers: std::ops::Range<u32>) {
        for number in numbers {
            let text = number.to_string();
            self.send(BaseRecord::to(&self.from).key(text.as_bytes()).payload(text.as_bytes()));
        }
        self.flush();
    }

    pub(crate) fn flush(&self) {
        self.producer.flush(PATIENCE).unwrap();
    }

    /// A record with headers.
    pub(crate) fn send_with(&self, key: &[u8], value: &[u8], headers: &[(&str, &[u8])]) {
        let headers = headers.iter().fold(OwnedHeaders::new(), |all, (key, value)| {
            all.insert(Header { key, value: Some(*value) })
        });
        self.send(BaseRecord::to(&self.from).key(key).payload(value).headers(headers));
        self.flush();
    }

    /// What a reader of committed records sees.
    pub(crate) fn read(&self, topic: &str) -> Vec<ReadRecord> {
        testing::read_to_end_of(&self.kafka, topic)
    }

    /// The numbers that a reader of committed records sees, sorted.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        numbers(&self.read(&self.to))
    }
}

pub(crate) fn numbers(records: &[ReadRecord]) -> Vec<u32> {
    let number = |record: &ReadRecord| {
        std::str::from_utf8(record.value.as_deref().unwrap()).unwrap().parse().unwrap()
    };
    let mut numbers: Vec<u32> = records.iter().map(number).collect();
    numbers.sort_unstable();
    numbers
}

pub(crate) fn copy(record: &Record, to: &str) -> Outgoing {
    Outgoing {
        topic: to.to_owned(),
        key: record.key.clone(),
        headers: record.headers.clone(),
        value: record.value.clone(),
    }
}

/// A leg that runs until it is stopped.
pub(crate) struct Running {
    leg: Arc<KafkaLeg>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), LegError>>,
}

impl Running {
    pub(crate) fn new(options: LegOptions, transform: Arc<dyn Transform>) -> Self {
        let leg = Arc::new(KafkaLeg::new(options, transform).unwrap());
        let stop = CancellationToken::new();
        let task = tokio::spawn({
            let (leg, stop) = (Arc::clone(&leg), stop.clone());
            async move { leg.run(stop).await }
        });
        Self { leg, stop, task }
    }

    pub(crate) fn figures(&self) -> Snapshot {
        self.leg.metrics().snapshot()
    }

    pub(crate) fn health(&self) -> Health {
        self.leg.health()
    }

    /// Waits for something to be seen in the figures.
    pub(crate) async fn until(&self, what: &str, is: impl Fn(&Snapshot) -> bool) {
        self.until_that(what, || is(&self.figures())).await;
    }

    pub(crate) async fn until_that(&self, what: &str, is: impl Fn() -> bool) {
        let began = Instant::now();
        while !is() {
            let (figures, health) = (self.figures(), self.health());
            assert!(began.elapsed() < PATIENCE, "never {what}: {figures:?} {health:?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) async fn stop(self) -> Snapshot {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
        self.leg.metrics().snapshot()
    }
}

/// A client that is no member of the group.
pub(crate) fn asking(
    kafka: &KafkaOptions,
    group: &str,
) -> rdkafka::consumer::BaseConsumer<ClientEvents> {
    let options = kafka.clone().with("group.id", group);
    let config = options.config(&Settings::default()).unwrap();
    options.client(&config, options.events()).unwrap()
}
