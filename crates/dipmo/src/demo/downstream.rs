//! Whoever reads what dipmo publishes: takes each message id once, as an inbox downstream would.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use dipmo_kafka::{ClientEvents, KafkaError, Settings};
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};
use rdkafka::{Offset, TopicPartitionList};
use tokio::sync::oneshot;

use super::broker::Broker;
use super::failed::for_people;
use super::recorder::Recorder;
use super::topics::{PARTITIONS, Topics};

/// How long one look for records takes when there are none.
const LOOK: Duration = Duration::from_millis(100);
/// How long the end may take when nothing comes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Reads while the demo runs: what lies too long in an in-process cluster is gone.
pub(crate) struct Downstream {
    shared: Arc<Shared>,
    ended: oneshot::Receiver<Result<()>>,
}

#[derive(Default)]
struct Shared {
    /// Nothing more is published.
    is_all: AtomicBool,
    records: AtomicU64,
    repeats: AtomicU64,
}

/// What was read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadBack {
    pub(crate) records: u64,
    /// Those among them whose message id had come before.
    pub(crate) repeats: u64,
}

/// What was read so far, for whoever looks on.
#[derive(Clone)]
pub(crate) struct Counter(Arc<Shared>);

impl Counter {
    pub(crate) fn get(&self) -> ReadBack {
        let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
        ReadBack { records: count(&self.0.records), repeats: count(&self.0.repeats) }
    }
}

impl Downstream {
    pub(crate) fn start(broker: &Broker, recorder: &Arc<Recorder>) -> Result<Self> {
        let topics = broker.topics.clone();
        let consumer = consumer(broker).map_err(|error| for_people(&error))?;
        let mut places = TopicPartitionList::new();
        for topic in topics.outgoing() {
            for partition in 0..PARTITIONS {
                places.add_partition_offset(&topic, partition, Offset::Beginning)?;
            }
        }
        consumer.assign(&places).context("the topics cannot be read back")?;
        let (shared, recorder) = (Arc::<Shared>::default(), Arc::clone(recorder));
        let reader = Reader { consumer, topics, recorder, shared: Arc::clone(&shared) };
        let (end, ended) = oneshot::channel();
        let thread = std::thread::Builder::new().name("downstream".to_owned());
        thread.spawn(move || {
            // Nobody listens when the demo could not run, and said why.
            let _ = end.send(reader.run());
        })?;
        Ok(Self { shared, ended })
    }

    pub(crate) fn counter(&self) -> Counter {
        Counter(Arc::clone(&self.shared))
    }

    /// Reads to the end, when nothing more is published.
    pub(crate) async fn finish(self) -> Result<ReadBack> {
        self.shared.is_all.store(true, Ordering::Release);
        self.ended.await.context("the reader ended unexpectedly")??;
        Ok(Counter(self.shared).get())
    }
}

fn consumer(broker: &Broker) -> Result<BaseConsumer<ClientEvents>, KafkaError> {
    let owned = vec![
        ("group.id", broker.topics.full("downstream")),
        ("enable.auto.commit", "false".to_owned()),
        // Questions stand behind a fetch that waits for records.
        ("fetch.wait.max.ms", "50".to_owned()),
        // Should something be gone, we go on with what is there: the ledger misses the rest.
        ("auto.offset.reset", "earliest".to_owned()),
    ];
    let config = broker.options.config(&Settings { owned, ..Settings::default() })?;
    broker.options.client(&config, broker.options.events())
}

struct Reader {
    consumer: BaseConsumer<ClientEvents>,
    topics: Topics,
    recorder: Arc<Recorder>,
    shared: Arc<Shared>,
}

impl Reader {
    fn run(&self) -> Result<()> {
        let mut next: HashMap<(String, i32), i64> = HashMap::new();
        let mut ends: Option<Vec<(String, i32, i64)>> = None;
        let mut last = Instant::now();
        loop {
            if ends.is_none() && self.shared.is_all.load(Ordering::Acquire) {
                ends = Some(self.ends()?);
                last = Instant::now();
            }
            if let Some(ends) = &mut ends {
                ends.retain(|(topic, partition, end)| {
                    next.get(&(topic.clone(), *partition)).is_none_or(|next| next < end)
                });
                if ends.is_empty() {
                    return Ok(());
                }
                if last.elapsed() > PATIENCE {
                    bail!("what was published cannot be read to its end: {ends:?} is missing");
                }
            }
            // An error of a poll is a broker that is away: the client goes on by itself.
            if let Some(Ok(message)) = self.consumer.poll(LOOK) {
                self.take(&message);
                let place = (message.topic().to_owned(), message.partition());
                next.insert(place, message.offset() + 1);
                last = Instant::now();
            }
        }
    }

    /// The first offset behind everything, of each partition that has something.
    fn ends(&self) -> Result<Vec<(String, i32, i64)>> {
        let mut ends = Vec::new();
        for topic in self.topics.outgoing() {
            for partition in 0..PARTITIONS {
                let (_, end) = self
                    .consumer
                    .fetch_watermarks(&topic, partition, PATIENCE)
                    .map_err(|error| for_people(&KafkaError::of(&error)))?;
                if end > 0 {
                    ends.push((topic.clone(), partition, end));
                }
            }
        }
        Ok(ends)
    }

    fn take(&self, message: &BorrowedMessage<'_>) {
        let text =
            |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
        let header = |name: &str| {
            let found = message.headers()?.iter().find(|header| header.key == name)?;
            Some(text(found.value))
        };
        let (topic, partition, offset) = (message.topic(), message.partition(), message.offset());
        // Without an id nothing can be recognised, and everything counts.
        let key = header("message-id").unwrap_or_else(|| format!("{topic}[{partition}]@{offset}"));
        let payload = serde_json::from_slice(message.payload().unwrap_or_default());
        let destination = format!("KAFKA:{}", self.topics.plain(topic));
        let is_new = self.recorder.arrive(
            (destination, text(message.key())),
            key,
            &header("event-type").unwrap_or_default(),
            &payload.unwrap_or_default(),
        );
        self.shared.records.fetch_add(1, Ordering::Relaxed);
        if !is_new {
            self.shared.repeats.fetch_add(1, Ordering::Relaxed);
        }
    }
}
