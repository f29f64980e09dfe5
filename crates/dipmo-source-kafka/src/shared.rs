//! What the reader, the storing task and the callbacks of the client share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use dipmo_domain::StoreError;
use dipmo_inbound::Inbound;
use dipmo_inbox::{Ending, Inbox, NewMessage};

use crate::health::Board;
use crate::metrics::Metrics;
use crate::offsets::Ledger;
use crate::options::SourceOptions;

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

    pub(crate) fn stored_at(&self, now: Instant) {
        self.since().get_or_insert(now);
    }

    pub(crate) fn committed(&self) {
        let since = self.since().take();
        self.metrics.committed_after(since.map(|since| since.elapsed()));
    }

    pub(crate) fn refused(&self, message: &mut NewMessage, error: &StoreError) {
        let (topic, partition, offset) = (&message.topic, message.partition, message.offset);
        tracing::error!(topic, partition, offset, %error, "a record is kept as bytes: its row was refused");
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

    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.uncommitted_since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
