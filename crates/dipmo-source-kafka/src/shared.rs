//! What the reader, the storing task and the callbacks of the client share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use dipmo_domain::{Coded as _, StoreError};
use dipmo_inbound::Inbound;
use dipmo_inbox::{Ending, Inbox, NewMessage, SourceOffset};

use crate::health::{Board, Subject};
use crate::metrics::Metrics;
use crate::offsets::Ledger;
use crate::options::SourceOptions;

/// How long the database may take to say where to go on, or to note where we begin. The group waits
/// with us.
const ONE_CALL: Duration = Duration::from_secs(5);

/// The parts of one source.
pub(crate) struct Shared {
    pub(crate) options: SourceOptions,
    pub(crate) inbound: Inbound,
    pub(crate) inbox: Arc<dyn Inbox>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) board: Board,
    ledger: Mutex<Ledger>,
    /// When the first of what is stored and not committed was stored.
    uncommitted_since: Mutex<Option<Instant>>,
}

impl Shared {
    pub(crate) fn new(options: SourceOptions, inbound: Inbound, inbox: Arc<dyn Inbox>) -> Self {
        Self {
            options,
            inbound,
            inbox,
            metrics: Arc::default(),
            board: Board::default(),
            ledger: Mutex::default(),
            uncommitted_since: Mutex::default(),
        }
    }

    /// The offsets; held for moments only.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the database has of our group.
    pub(crate) async fn stored_offsets(&self) -> Result<Vec<SourceOffset>, StoreError> {
        in_time("offsets", self.inbox.offsets(&self.options.group)).await
    }

    /// Stores where partitions begin.
    pub(crate) async fn store_beginnings(
        &self,
        offsets: &[SourceOffset],
    ) -> Result<(), StoreError> {
        in_time("begin", self.inbox.begin(offsets)).await
    }

    pub(crate) fn stored_at(&self, now: Instant) {
        self.since().get_or_insert(now);
    }

    pub(crate) fn committed(&self) {
        let since = self.since().take();
        self.metrics.committed_after(since.map(|since| since.elapsed()));
    }

    pub(crate) fn refused(&self, message: &mut NewMessage, error: &StoreError) {
        let (topic, partition, offset) = (&message.topic, message.partition, message.offset);
        tracing::error!(topic, partition, offset, %error, "a record is kept as bytes, because its row was refused: a person is needed");
        self.metrics.change(|figures| *figures.refused.entry(topic.clone()).or_default() += 1);
        self.mirror(message);
    }

    /// Says where a message that cannot be decoded is mirrored to, by the rules of its topic.
    pub(crate) fn mirror(&self, message: &mut NewMessage) {
        let topic = message.originals.topic.as_ref().unwrap_or(&message.topic);
        match self.inbound.mirror(topic) {
            Ok(to) => message.mirrored_to = to,
            Err(error) => {
                let (partition, offset) = (message.partition, message.offset);
                tracing::error!(topic, partition, offset, %error, "a record that cannot be decoded is not mirrored");
                self.metrics
                    .change(|figures| *figures.unmirrored.entry(topic.clone()).or_default() += 1);
            }
        }
    }

    /// A dead letter stays where it is: its message was retried too often.
    pub(crate) fn spent(&self, message: &NewMessage, ending: &Ending) {
        let (topic, id, retried) = (&message.topic, &message.message_id, ending.retried);
        let error = ending.failure.message();
        tracing::warn!(topic, id, retried, error, "a dead letter came back too often and is left");
        self.metrics.letter("spent");
    }

    /// The database has lost what was stored in it. Nothing that was read on top of that is stored
    /// or committed: all partitions are given up, and come anew from where the database stands.
    pub(crate) fn set_back(&self, error: &StoreError) {
        self.ledger().revoke_all();
        let code = error.code();
        tracing::error!(code = code.as_str(), %error, "leaving the group to read again what is lost");
        self.metrics.store_failed(code.as_str());
        self.metrics.change(|figures| figures.database_set_back += 1);
        self.board.raise(Subject::Group, code, &error.to_string());
    }

    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.uncommitted_since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn in_time<T>(
    statement: &'static str,
    call: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let late = || StoreError::Busy { statement, problem: "no answer in time".to_owned() };
    tokio::time::timeout(ONE_CALL, call).await.unwrap_or_else(|_| Err(late()))
}
