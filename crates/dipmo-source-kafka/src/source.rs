//! A source: joins the group, reads, and joins again when it has to.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dipmo_domain::{Backoff, Code, Coded as _};
use dipmo_inbound::Inbound;
use dipmo_inbox::{Hold, Inbox, InboxLoad};
use dipmo_kafka::{Chair, Seat};
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::error::SourceError;
use crate::health::{Health, Subject};
use crate::metrics::{Metrics, Snapshot};
use crate::options::SourceOptions;
use crate::reader::Reader;
use crate::shared::Shared;
use crate::storing::Storing;

/// How long to stay away after a membership that could not go on.
const AWAY: Backoff = Backoff::Exponential {
    first: Duration::from_millis(500),
    longest: Duration::from_secs(10),
    retries: u32::MAX,
};

/// How long the broker may take to hear that we leave.
pub const FAREWELL: Duration = Duration::from_secs(2);

/// Batches that may wait while one is stored and one is read.
const WAITING: usize = 2;

/// Reads topics of Kafka into an inbox.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use dipmo_kafka::KafkaOptions;
/// # use dipmo_source_kafka::{KafkaSource, SourceOptions};
/// # async fn run(inbound: dipmo_inbound::Inbound, inbox: Arc<dyn dipmo_inbox::Inbox>)
/// # -> Result<(), dipmo_source_kafka::SourceError> {
/// let kafka = KafkaOptions::new("localhost:9092");
/// let options = SourceOptions::new(kafka, "dipmo", ["orders", "^crm-.*"]);
/// let source = KafkaSource::new(options, inbound, inbox)?;
/// let stop = tokio_util::sync::CancellationToken::new();
/// source.run(stop).await // until `stop` is cancelled
/// # }
/// ```
pub struct KafkaSource {
    shared: Arc<Shared>,
    config: ClientConfig,
    load: watch::Receiver<InboxLoad>,
    hold: Hold,
    chair: Chair,
}

impl KafkaSource {
    /// A source with these options. Nothing is connected yet.
    ///
    /// # Errors
    /// When an option or a property is wrong; the error names it.
    pub fn new(
        options: SourceOptions,
        inbound: Inbound,
        inbox: Arc<dyn Inbox>,
    ) -> Result<Self, SourceError> {
        options.check()?;
        let config = options.kafka.config(&options.settings())?;
        let shared = Arc::new(Shared::new(options, inbound, inbox));
        // Without somebody who tells the load there is none.
        let (_, load) = watch::channel(InboxLoad::default());
        Ok(Self { shared, config, load, hold: Hold::default(), chair: Chair::default() })
    }

    /// Pauses and resumes by the load of the inbox, as long as somebody tells it.
    #[must_use]
    pub fn load(mut self, load: watch::Receiver<InboxLoad>) -> Self {
        self.load = load;
        self
    }

    /// Rests while an operator holds it back: it stays in its group, and reads nothing.
    #[must_use]
    pub fn held(mut self, hold: Hold) -> Self {
        self.hold = hold;
        self
    }

    /// The figures, which can be read while it runs.
    #[must_use]
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.shared.metrics)
    }

    /// What is wrong now, if anything.
    #[must_use]
    pub fn health(&self) -> Health {
        self.shared.board.health(self.shared.ledger().places().count(), self.hold.why())
    }

    /// Reads until it is stopped. What was read by then is stored and committed, or read again
    /// the next time.
    ///
    /// # Errors
    /// When the client cannot be made or subscribed: trying again would not help. When it runs
    /// already, or was stopped while the broker does not answer and still waits for it.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), SourceError> {
        let running = || SourceError::Running { group: self.shared.options.group.clone() };
        let seat = self.chair.take().ok_or_else(running)?;
        // Dropped, it stops as well: the thread would go on as a member of the group.
        let stop = stop.child_token();
        let _stopped_when_dropped = stop.clone().drop_guard();
        let mut attempts = 0;
        while !stop.is_cancelled() {
            if !self.database_answers().await || !self.member(&stop, &seat).await? {
                let delay = AWAY.delay(attempts, fastrand::u64(..)).unwrap_or_default();
                attempts += 1;
                tokio::select! {
                    () = tokio::time::sleep(delay) => {}
                    () = stop.cancelled() => {}
                }
            } else {
                attempts = 0;
            }
        }
        Ok(())
    }

    /// Joining makes no sense while nobody can say where to begin.
    async fn database_answers(&self) -> bool {
        match self.shared.stored_offsets().await {
            Ok(_) => {
                self.shared.board.clear(&Subject::Store);
                true
            }
            Err(error) => {
                self.shared.board.raise(Subject::Store, error.code(), &error.to_string());
                false
            }
        }
    }

    /// One membership, from joining to leaving. Returns whether it went well.
    async fn member(
        &self,
        stop: &CancellationToken,
        seat: &Arc<Seat>,
    ) -> Result<bool, SourceError> {
        let shared = &self.shared;
        let before = shared.metrics.snapshot();
        let consumer = self.join()?;
        let (batches, waiting) = mpsc::channel(WAITING);
        let ending = CancellationToken::new();
        let storing = Storing { shared: Arc::clone(shared), stop: ending.clone() };
        let storing = tokio::spawn(storing.run(waiting));
        let reader = Reader::new(consumer, batches, self.load.clone(), stop.clone());
        let (left, has_left) = oneshot::channel();
        let seat = Arc::clone(seat);
        let spawned =
            std::thread::Builder::new().name("kafka-source".to_owned()).spawn(move || {
                reader.run(storing, &ending);
                // Before anybody hears of it: the next run may begin then.
                drop(seat);
                let _ = left.send(());
            });
        let ended = match spawned {
            Ok(_) => tokio::select! {
                left = has_left => left.map_err(|_| "the reader ended unexpectedly".to_owned()),
                () = self.patience_is_over(stop) => Ok(()),
            },
            Err(error) => Err(format!("no thread can be started: {error}")),
        };
        if let Err(problem) = ended {
            shared.board.raise(Subject::Group, Code::new("kafka-reader-failed"), &problem);
        }
        Ok(went_well(&before, &shared.metrics.snapshot()))
    }

    /// A broker that is gone cannot be told that we leave. The thread may try on by itself:
    /// everything that matters is stored by then.
    async fn patience_is_over(&self, stop: &CancellationToken) {
        stop.cancelled().await;
        tokio::time::sleep(self.shared.options.grace + FAREWELL).await;
        tracing::warn!("the broker does not answer: left without a word");
    }

    fn join(&self) -> Result<BaseConsumer<Context>, SourceError> {
        let options = &self.shared.options;
        let context = Context {
            shared: Arc::clone(&self.shared),
            events: options.kafka.events(),
            runtime: Handle::current(),
            leave: AtomicBool::new(false),
            hold: self.hold.clone(),
        };
        let consumer: BaseConsumer<Context> = options.kafka.client(&self.config, context)?;
        let topics: Vec<&str> = options.topics.iter().map(String::as_str).collect();
        consumer.subscribe(&topics).map_err(|error| SourceError::Subscription {
            topics: options.topics.clone(),
            problem: error.to_string(),
        })?;
        Ok(consumer)
    }
}

/// Whether a membership went well: it read something, and the database kept what it was given. After
/// any other we stay away for a while, or a database that is set back again and again would have
/// the whole group rebalance without a pause.
const fn went_well(before: &Snapshot, now: &Snapshot) -> bool {
    now.batches > before.batches && now.database_set_back == before.database_set_back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trap_9_a_membership_that_ended_by_a_set_back_is_followed_by_a_pause() {
        let before = Snapshot { batches: 3, database_set_back: 1, ..Snapshot::default() };
        let read = Snapshot { batches: 4, ..before.clone() };
        assert!(went_well(&before, &read));
        assert!(!went_well(&before, &before));
        assert!(!went_well(&before, &Snapshot { database_set_back: 2, ..read }));
    }
}
