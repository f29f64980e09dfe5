//! A leg: joins the group, works, and joins again when it has to.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dipmo_domain::{Backoff, Code, Coded as _};
use dipmo_kafka::{Chair, KafkaError, Seat, Subject};
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::error::LegError;
use crate::health::Health;
use crate::member::Member;
use crate::metrics::Metrics;
use crate::options::LegOptions;
use crate::shared::Shared;
use crate::transaction::Transactions;
use crate::transform::Transform;

/// How long to stay away after a membership that could not go on.
const AWAY: Backoff = Backoff::Exponential {
    first: Duration::from_millis(500),
    longest: Duration::from_secs(10),
    retries: u32::MAX,
};

/// How long the broker may take to hear that we leave, after [`grace`](LegOptions::grace).
pub const FAREWELL: Duration = Duration::from_secs(2);

/// Reads topics, transforms, and writes topics; everything of a transaction, or nothing.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use dipmo_kafka::KafkaOptions;
/// # use dipmo_leg_kafka::{Applied, KafkaLeg, LegOptions, Outgoing};
/// # async fn run() -> Result<(), dipmo_leg_kafka::LegError> {
/// let kafka = KafkaOptions::new("localhost:9092");
/// let options = LegOptions::new(kafka, "copy", "copy", ["orders"]);
/// let copy = |record: &dipmo_inbox::Record| {
///     let (key, value) = (record.key.clone(), record.value.clone());
///     let topic = "orders-copied".to_owned();
///     Applied::Send(vec![Outgoing { topic, key, value, ..Outgoing::default() }])
/// };
/// let leg = KafkaLeg::new(options, Arc::new(copy))?;
/// let stop = tokio_util::sync::CancellationToken::new();
/// leg.run(stop).await // until `stop` is cancelled
/// # }
/// ```
pub struct KafkaLeg {
    shared: Arc<Shared>,
    consumer: ClientConfig,
    producer: ClientConfig,
    chair: Chair,
}

impl KafkaLeg {
    /// A leg with these options. Nothing is connected yet.
    ///
    /// # Errors
    /// When an option or a property is wrong; the error names it.
    pub fn new(options: LegOptions, transform: Arc<dyn Transform>) -> Result<Self, LegError> {
        options.check()?;
        // Without a name that outlives it, nobody else may ever have the same.
        let instance = match &options.instance_id {
            Some(id) => id.clone(),
            None => format!("{:016x}", fastrand::u64(..)),
        };
        // The group is in it because the name is one of the whole cluster: two pipelines may both have a
        // leg of this name.
        let transactional_id = format!("{}:{}:{instance}", options.group, options.name);
        let consumer = options.kafka.config(&options.consumer_settings())?;
        let producer = options.kafka.config(&options.producer_settings(&transactional_id))?;
        tracing::debug!(leg = options.name, transactional_id, "a leg");
        let shared = Arc::new(Shared::new(options, transform));
        Ok(Self { shared, consumer, producer, chair: Chair::default() })
    }

    /// The figures, which can be read while it runs.
    #[must_use]
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.shared.metrics)
    }

    /// What is wrong now, if anything.
    #[must_use]
    pub fn health(&self) -> Health {
        Health {
            problems: self.shared.board.problems(),
            partitions: self.shared.positions().len(),
            joined: self.shared.joined.load(Ordering::Relaxed),
            waiting: self.shared.waiting.load(Ordering::Relaxed),
        }
    }

    /// Works until it is stopped. What was read by then is committed with what came of it, or read
    /// again the next time.
    ///
    /// # Errors
    /// When a client cannot be made or subscribed: trying again would not help. When it runs
    /// already, or was stopped while the broker does not answer and still waits for it.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), LegError> {
        let running = || LegError::Running { leg: self.shared.options.name.clone() };
        let seat = self.chair.take().ok_or_else(running)?;
        // Dropped, it stops as well: the thread would go on as a member of the group.
        let stop = stop.child_token();
        let _stopped_when_dropped = stop.clone().drop_guard();
        let mut attempts = 0;
        while !stop.is_cancelled() {
            let before = self.shared.metrics.snapshot().committed;
            self.member(&stop, &seat).await?;
            if self.shared.metrics.snapshot().committed > before {
                attempts = 0;
            }
            let delay = AWAY.delay(attempts, fastrand::u64(..)).unwrap_or_default();
            attempts += 1;
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = stop.cancelled() => {}
            }
        }
        Ok(())
    }

    /// One membership, from joining to leaving.
    async fn member(&self, stop: &CancellationToken, seat: &Arc<Seat>) -> Result<(), LegError> {
        let shared = Arc::clone(&self.shared);
        let (stopping, runtime, seat) = (stop.clone(), Handle::current(), Arc::clone(seat));
        let (consumer, producer) = (self.consumer.clone(), self.producer.clone());
        let (left, has_left) = oneshot::channel();
        let spawned = std::thread::Builder::new().name("kafka-leg".to_owned()).spawn(move || {
            let done = work(&shared, &consumer, &producer, stopping, runtime);
            // Before anybody hears of it: the next run may begin then.
            drop(seat);
            let _ = left.send(done);
        });
        let ended = match spawned {
            Ok(_) => tokio::select! {
                left = has_left => left.map_err(|_| "the thread ended unexpectedly".to_owned()),
                () = self.patience_is_over(stop) => Ok(Ok(())),
            },
            Err(error) => Err(format!("no thread can be started: {error}")),
        };
        ended.unwrap_or_else(|problem| {
            let code = Code::new("kafka-reader-failed");
            self.shared.board.raise(Subject::Group, code, &problem);
            Ok(())
        })
    }

    /// A broker that is gone cannot be told that we leave. The thread may try on by itself: what it
    /// has not committed by then is read again.
    async fn patience_is_over(&self, stop: &CancellationToken) {
        stop.cancelled().await;
        tokio::time::sleep(self.shared.options.grace + FAREWELL).await;
        tracing::warn!("the broker does not answer: left without a word");
    }
}

/// A membership, on its own thread. The producer comes first: by taking its name it ends what an
/// earlier one left open, so that the group can say where to go on.
fn work(
    shared: &Arc<Shared>,
    consumer: &ClientConfig,
    producer: &ClientConfig,
    stop: CancellationToken,
    runtime: Handle,
) -> Result<(), LegError> {
    let options = &shared.options;
    let ends = || stop.is_cancelled();
    let transactions = match Transactions::new(Arc::clone(shared), producer, ends) {
        Ok(transactions) => transactions,
        Err(error @ KafkaError::ClientRefused { .. }) => return Err(error.into()),
        Err(error) => {
            shared.board.raise(Subject::Group, error.code(), &error.to_string());
            return Ok(());
        }
    };
    let context = Context::new(Arc::clone(shared), transactions);
    let consumer: BaseConsumer<Context> = options.kafka.client(consumer, context)?;
    let topics = options.all_topics();
    let names: Vec<&str> = topics.iter().map(String::as_str).collect();
    if let Err(error) = consumer.subscribe(&names) {
        return Err(LegError::Subscription { topics, problem: error.to_string() });
    }
    Member::new(consumer, stop, runtime).run();
    Ok(())
}
