//! The thread that polls: fills batches, hands them over, pauses, commits.
//!
//! A thread of its own with a client that is polled, and not a stream of the runtime: taking a
//! record from the client's queue costs less than waking a task for it, callbacks come on this
//! thread only, and it may block in them without holding up the runtime.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_inbound::{CameBack, OnSerdeError};
use dipmo_inbox::{Body, InboxLoad, NewMessage, Returned};
use rdkafka::Message as _;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::types::RDKafkaErrorCode;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::batch::{Batch, Content, Item};
use crate::context::Context;
use crate::health::{PauseReason, Subject};
use crate::pausing::told;
use crate::progress::Polling;
use crate::record::{record_of, size_of};
use crate::shared::Shared;
use crate::{commit, refused, trouble};

/// How long to wait for a first record; stopping and committing wait as long.
const IDLE: Duration = Duration::from_millis(100);
/// How long to wait for more while the storing task has enough to do.
const BUSY: Duration = Duration::from_millis(2);
/// How often topics that nothing came of are looked after.
const LOOK_AROUND: Duration = Duration::from_secs(5);
/// How often all offsets are committed again, whether they changed or not.
const SAY_AGAIN: Duration = Duration::from_secs(60);

/// Reads as one member of the group.
pub(crate) struct Reader {
    shared: Arc<Shared>,
    consumer: BaseConsumer<Context>,
    batches: Sender<Batch>,
    load: watch::Receiver<InboxLoad>,
    stop: CancellationToken,
    batch: Batch,
    /// The state of the ledger that `batch` knows about.
    epoch: u64,
    /// Since when a full batch has not been taken.
    stuck_since: Option<Instant>,
    paused: Option<PauseReason>,
    /// Partitions came since the pause was last looked at: they may be paused or not.
    came: bool,
    committed_at: Instant,
    said_again_at: Instant,
    looked_at: Instant,
}

impl Reader {
    pub(crate) fn new(
        consumer: BaseConsumer<Context>,
        batches: Sender<Batch>,
        load: watch::Receiver<InboxLoad>,
        stop: CancellationToken,
    ) -> Self {
        let now = Instant::now();
        Self {
            shared: Arc::clone(&consumer.context().shared),
            consumer,
            batches,
            load,
            stop,
            batch: Batch::default(),
            epoch: 0,
            stuck_since: None,
            paused: None,
            came: false,
            committed_at: now,
            said_again_at: now,
            looked_at: now,
        }
    }

    /// Reads until it is told to stop or this membership cannot go on; then waits until what it
    /// handed over is stored, commits that, and leaves the group.
    pub(crate) fn run(mut self, storing: JoinHandle<()>, ending: &CancellationToken) {
        let _polling = Polling::begin(&self.shared);
        while !self.ends() {
            self.shared.board.progress.polled(Instant::now());
            self.fill();
            self.hand_over();
            self.chores();
        }
        ending.cancel();
        let Self { shared, consumer, batches, batch, .. } = self;
        if !batch.is_empty() {
            // Without room it is let go: nothing of it is committed, so it is read again.
            let _ = batches.try_send(batch);
        }
        drop(batches);
        let abort = storing.abort_handle();
        let runtime = consumer.context().runtime.clone();
        let stored =
            runtime.block_on(async { tokio::time::timeout(shared.options.grace, storing).await });
        if stored.is_err() {
            abort.abort();
        }
        commit::last(&consumer, &shared);
        shared.board.paused(None);
        // Closing revokes what is left, by the callback.
        drop(consumer);
        // A client that ended by a fatal error calls nobody back.
        shared.ledger().revoke_all();
    }

    fn ends(&self) -> bool {
        // Nobody stores any more: the storing task gave up, and said why.
        let in_vain = self.batches.is_closed();
        in_vain || self.stop.is_cancelled() || self.consumer.context().leaves()
    }

    /// Takes what is there, up to the limits of a batch.
    fn fill(&mut self) {
        let limits = self.shared.options.batch;
        let mut patience = if self.batch.is_empty() || self.paused.is_some() { IDLE } else { BUSY };
        let mut taken = 0_usize;
        let mut readable = false;
        loop {
            let polled = self.consumer.poll(patience);
            let epoch = self.shared.ledger().epoch();
            if epoch != self.epoch {
                self.epoch = epoch;
                self.batch.seal();
                self.came = true;
                self.pause_again();
            }
            match polled {
                Some(Ok(message)) => {
                    if !std::mem::replace(&mut readable, true) {
                        self.shared.board.clear(&Subject::Records);
                    }
                    take(&self.shared, &mut self.batch, &message);
                }
                Some(Err(error)) => self.failed(&error),
                None => return,
            }
            taken += 1;
            let old = taken.is_multiple_of(64) && self.batch.age() > limits.time;
            // What is let go fills no batch: we may have to leave meanwhile.
            if self.batch.is_full(&limits) || old || taken >= limits.records {
                return;
            }
            patience = Duration::ZERO;
        }
    }

    /// Hands the batch over; when there is no room, it grows, and when it is full, reading waits.
    fn hand_over(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        match self.batches.try_send(std::mem::take(&mut self.batch)) {
            Ok(()) => self.stuck_since = None,
            Err(TrySendError::Full(batch)) => {
                self.batch = batch;
                if self.batch.is_full(&self.shared.options.batch) {
                    self.wait_for_room();
                }
            }
            // It is read again by whoever gets its partitions.
            Err(TrySendError::Closed(_)) => {}
        }
    }

    /// Waits for room, but not for long: whoever does not poll loses its partitions. When it takes
    /// long, reading pauses, and polling goes on.
    fn wait_for_room(&mut self) {
        let since = *self.stuck_since.get_or_insert_with(Instant::now);
        if since.elapsed() < self.shared.options.pause_after {
            let room =
                async { tokio::time::timeout(IDLE / 2, self.batches.reserve()).await.is_ok() };
            self.consumer.context().runtime.block_on(room);
        }
    }

    fn chores(&mut self) {
        self.adjust_pause();
        if self.said_again_at.elapsed() >= SAY_AGAIN {
            self.said_again_at = Instant::now();
            self.shared.ledger().say_again();
        }
        if self.committed_at.elapsed() >= self.shared.options.commit_every {
            self.committed_at = Instant::now();
            commit::everything(&self.consumer, &self.shared);
        }
        if self.looked_at.elapsed() >= LOOK_AROUND {
            self.looked_at = Instant::now();
            trouble::topics(&self.consumer, &self.shared);
        }
    }

    fn adjust_pause(&mut self) {
        let options = &self.shared.options;
        let stuck = self.stuck_since.is_some_and(|since| since.elapsed() >= options.pause_after);
        let pressed = self.paused == Some(PauseReason::Pressure);
        let wanted = if self.consumer.context().hold.rests() {
            Some(PauseReason::Operator)
        } else if stuck {
            Some(PauseReason::Store)
        } else if options.pressure.pauses(pressed, told(&self.load)) {
            Some(PauseReason::Pressure)
        } else {
            None
        };
        let came = std::mem::take(&mut self.came);
        if wanted != self.paused {
            tracing::info!(before = ?self.paused, now = ?wanted, "reading pauses or goes on");
            self.paused = wanted;
            // Health first: who sees a pause counted finds its reason there.
            self.shared.board.paused(wanted);
            self.shared.metrics.change(|figures| match wanted {
                Some(PauseReason::Pressure) => figures.pauses_pressure += 1,
                Some(PauseReason::Store) => figures.pauses_store += 1,
                Some(PauseReason::Operator) | None => {}
            });
        } else if !came {
            return;
        }
        let partitions = self.consumer.assignment();
        let done = partitions.and_then(|partitions| match wanted {
            Some(_) => self.consumer.pause(&partitions),
            None => self.consumer.resume(&partitions),
        });
        if let Err(error) = done {
            tracing::warn!(%error, "partitions could not be paused or resumed");
        }
    }

    /// Partitions that came during a pause pause too.
    fn pause_again(&self) {
        if self.paused.is_some()
            && let Ok(partitions) = self.consumer.assignment()
            && let Err(error) = self.consumer.pause(&partitions)
        {
            tracing::warn!(%error, "new partitions could not be paused");
        }
    }

    fn failed(&self, error: &KafkaError) {
        // The text of every error was told to the context before.
        let lost_place = error.rdkafka_error_code() == Some(RDKafkaErrorCode::AutoOffsetReset);
        if lost_place || matches!(error, KafkaError::MessageConsumptionFatal(_)) {
            tracing::error!(%error, "leaving the group to join it anew");
            self.consumer.context().leave();
        }
    }
}

/// Decodes a record into the batch.
fn take(shared: &Shared, batch: &mut Batch, message: &BorrowedMessage<'_>) {
    let began = Instant::now();
    let (record, trouble) = record_of(message);
    let bytes = size_of(&record);
    let decoded = shared.inbound.decode(record);
    let blocks_key = decoded.on_serde_error == OnSerdeError::BlockKey;
    let mut stored = NewMessage { blocks_key, ..decoded.message };
    if let Some(failure) = trouble {
        refused::keep_bytes(&mut stored, failure);
    }
    if matches!(stored.body, Body::Undecodable { .. }) {
        let topic = message.topic().to_owned();
        shared.metrics.change(|figures| *figures.serde_errors.entry(topic).or_default() += 1);
        shared.mirror(&mut stored);
    }
    let content = match decoded.returned {
        None => Content::Message(stored),
        Some(CameBack { spent: true, ending, .. }) => {
            shared.spent(&stored, &ending);
            Content::Message(stored)
        }
        Some(CameBack { first, ending, .. }) => {
            Content::Letter(Returned { first, ended: ending.ended(), message: stored })
        }
    };
    let item = Item {
        topic: message.topic(),
        partition: message.partition(),
        offset: message.offset(),
        content,
        bytes,
    };
    batch.push(item, |place| shared.ledger().open(place));
    batch.decoding += began.elapsed();
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use dipmo_inbound::Inbound;
    use dipmo_inbox::Hold;
    use dipmo_kafka::KafkaOptions;
    use rdkafka::mocking::MockCluster;
    use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
    use rdkafka::{ClientConfig, Offset};
    use tokio::runtime::Handle;
    use tokio::sync::mpsc;

    use super::*;
    use crate::SourceOptions;
    use crate::gated::Gated;
    use crate::offsets::Place;

    const RECORDS: i64 = 500;

    /// A reader whose client reads a partition that is not ours, as when we are about to leave. No
    /// real broker is needed for that.
    fn reader(servers: &str, batches: Sender<Batch>) -> Reader {
        let mut options = SourceOptions::new(KafkaOptions::new(servers), "g", ["t"]);
        options.batch.records = 50;
        let config = options.kafka.config(&options.settings()).unwrap();
        let (kafka, events) = (options.kafka.clone(), options.kafka.events());
        let inbox = Arc::new(Gated::default());
        let shared = Arc::new(Shared::new(options, Inbound::new("test"), inbox));
        let (runtime, leave) = (Handle::current(), AtomicBool::new(false));
        let context = Context { shared, events, runtime, leave, hold: Hold::default() };
        let consumer: BaseConsumer<Context> = kafka.client(&config, context).unwrap();
        consumer.assign(&commit::list(&[(Place::new("t", 0), 0)]).unwrap()).unwrap();
        let (_, load) = watch::channel(InboxLoad::default());
        Reader::new(consumer, batches, load, CancellationToken::new())
    }

    fn position(reader: &Reader) -> i64 {
        let positions = reader.consumer.position().unwrap();
        match positions.find_partition("t", 0).unwrap().offset() {
            Offset::Offset(offset) => offset,
            _ => 0,
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_let_go_counts_towards_the_limit_of_a_round() {
        let cluster = MockCluster::new(1).unwrap();
        cluster.create_topic("t", 1, 1).unwrap();
        let servers = cluster.bootstrap_servers();
        let producer: BaseProducer =
            ClientConfig::new().set("bootstrap.servers", &servers).create().unwrap();
        for _ in 0..RECORDS {
            producer.send(BaseRecord::<(), _>::to("t").payload("{}")).unwrap();
        }
        producer.flush(Duration::from_secs(30)).unwrap();
        let (batches, _waiting) = mpsc::channel(1);
        let mut reader = reader(&servers, batches);
        let began = Instant::now();
        while position(&reader) < RECORDS {
            let before = position(&reader);
            tokio::task::block_in_place(|| reader.fill());
            assert!(position(&reader) - before <= 50, "it looks up too late");
            assert!(reader.batch.is_empty());
            assert!(began.elapsed() < Duration::from_secs(60), "nothing comes");
        }
    }
}
