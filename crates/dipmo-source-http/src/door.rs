//! What all connections share: the parts of the source, and the way into the queue.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dipmo_inbound::Inbound;
use dipmo_inbox::{Hold, Inbox, NewMessage, Stored};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::auth::Auth;
use crate::health::Board;
use crate::message::Maker;
use crate::metrics::Metrics;
use crate::options::Limits;
use crate::pressure::Pressure;
use crate::refusal::Refusal;
use crate::seldom::Seldom;

/// Memory is counted in pieces of so many bytes.
const PIECE: usize = 1_024;
/// So many may ask the database at once where a request stands: storing goes first.
const ASKING: usize = 8;

/// The parts of one source.
pub(crate) struct Shared {
    pub(crate) listen: SocketAddr,
    pub(crate) auth: Auth,
    pub(crate) source_system: String,
    pub(crate) paths: Vec<Maker>,
    pub(crate) limits: Limits,
    pub(crate) inbound: Inbound,
    pub(crate) inbox: Arc<dyn Inbox>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) board: Board,
    /// The database does not answer, and somebody waits for it already: nobody else has to.
    pub(crate) away: AtomicBool,
    /// Who may ask the database where a request stands.
    pub(crate) asking: Semaphore,
    pub(crate) told: Told,
}

/// What is in the log now and then.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// A row that the database refuses.
    pub(crate) refused: Seldom,
    /// A key that came with another body.
    pub(crate) reused: Seldom,
    /// A request of which could not be told where it stands.
    pub(crate) unknown: Seldom,
}

/// A message, and who waits to hear what became of it.
pub(crate) struct Waiting {
    pub(crate) message: NewMessage,
    pub(crate) waiter: Waiter,
}

/// Who waits for a message.
pub(crate) struct Waiter {
    pub(crate) answer: oneshot::Sender<Fate>,
    /// The memory that the message takes: it is free when the message is gone, and not when its client is.
    _room: OwnedSemaphorePermit,
}

impl Waiter {
    pub(crate) const fn new(answer: oneshot::Sender<Fate>, room: OwnedSemaphorePermit) -> Self {
        Self { answer, _room: room }
    }
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is durable, or was before, or another is in its place.
    Stored(Stored),
    /// The database refuses it for what it is.
    Refused,
    /// The database refuses it as it refuses all: it is not for what this one is.
    NotTaken,
}

/// The way in. When the last one is gone the queue ends.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) shared: Arc<Shared>,
    pressure: Arc<Pressure>,
    hold: Hold,
    queue: mpsc::Sender<Waiting>,
    memory: Arc<Semaphore>,
}

impl Shared {
    /// Somebody who may ask the database where requests stand.
    pub(crate) const fn askers() -> Semaphore {
        Semaphore::const_new(ASKING)
    }
}

impl Door {
    pub(crate) fn new(
        shared: Arc<Shared>,
        pressure: Arc<Pressure>,
        hold: Hold,
    ) -> (Self, mpsc::Receiver<Waiting>) {
        let (queue, waiting) = mpsc::channel(shared.limits.waiting.max(1));
        let pieces = shared.limits.memory.div_ceil(PIECE).clamp(1, Semaphore::MAX_PERMITS);
        let memory = Arc::new(Semaphore::new(pieces));
        (Self { shared, pressure, hold, queue, memory }, waiting)
    }

    /// # Errors
    /// When nobody can be served now: better told before a body is read than after.
    pub(crate) fn is_open(&self) -> Result<(), Refusal> {
        if self.hold.rests() {
            Err(Refusal::paused())
        } else if self.pressure.is_high() {
            Err(Refusal::inbox_full())
        } else if self.shared.away.load(Ordering::Relaxed) {
            Err(Refusal::database_away())
        } else if self.queue.capacity() == 0 {
            Err(Refusal::busy())
        } else {
            Ok(())
        }
    }

    /// Room for a body, until it is dropped.
    pub(crate) fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Refusal> {
        let pieces = u32::try_from(bytes.div_ceil(PIECE).max(1)).unwrap_or(u32::MAX);
        Arc::clone(&self.memory).try_acquire_many_owned(pieces).map_err(|_| Refusal::busy())
    }

    /// Hands a message over and waits for what becomes of it, but not for ever.
    pub(crate) async fn store(
        &self,
        message: NewMessage,
        room: OwnedSemaphorePermit,
        given: bool,
    ) -> Result<Fate, Refusal> {
        let (answer, fate) = oneshot::channel();
        let waiting = Waiting { message, waiter: Waiter::new(answer, room) };
        self.queue.try_send(waiting).map_err(|error| match error {
            TrySendError::Full(_) => Refusal::busy(),
            TrySendError::Closed(_) => Refusal::stopping(),
        })?;
        match tokio::time::timeout(self.shared.limits.answer_within, fate).await {
            Ok(Ok(fate)) => Ok(fate),
            // Whoever had it is gone without a word, and may have stored it before.
            Ok(Err(_)) | Err(_) => Err(Refusal::no_answer(given)),
        }
    }
}
