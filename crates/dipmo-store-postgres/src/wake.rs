//! Waking who waits for work: here at once, in other instances by a NOTIFY after the commit.
//!
//! A NOTIFY inside the transactions of batches would make their commits take turns, in all of the
//! database. So it is sent after them, on a connection of its own, and seldom: see `others.rs`.

mod line;
mod others;

use std::sync::{Arc, Mutex, PoisonError};

use dipmo_domain::StoreError;
use dipmo_inbox::Stored;
use dipmo_store::{Side, Wake};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio_postgres::{Config, Row};

use crate::options::{PostgresOptions, SessionKind};
use crate::store::PostgresStore;
use crate::tls::Tls;
use crate::wake::others::{Others, keep_a_line};

impl Wake for PostgresStore {
    fn arrivals(&self, side: Side) -> watch::Receiver<u64> {
        let receiver = self.wakes().others.arrivals.of(side);
        self.wakes().start();
        receiver
    }
}

impl PostgresStore {
    /// Wakes a side if something was made ready there; passes the count on.
    pub(crate) fn waking(&self, side: Side, count: usize) -> usize {
        if count > 0 {
            self.wakes().wake(side);
        }
        count
    }

    /// Wakes who waits for messages, if some are new.
    pub(crate) fn wake_for(&self, stored: &[Stored]) {
        let is_new = |answer: &&Stored| matches!(answer, Stored::New(_));
        self.waking(Side::Inbox, stored.iter().filter(is_new).count());
    }

    /// Wakes who waits for what a batch wrote, or let go: `inbox_release` answered third from last.
    pub(crate) fn wake_after(&self, intents: usize, released: bool, answers: &[Vec<Row>]) {
        self.waking(Side::Outbox, intents);
        let answer = answers.iter().rev().nth(2).and_then(|rows| rows.first());
        if released && answer.is_some_and(|row| row.get::<_, i64>(0) > 0) {
            self.wakes().wake(Side::Inbox);
        }
    }
}

/// The channels of an instance, and its line to the others. The line begins with the first who
/// waits or stores, and ends with the last clone of the store.
pub(crate) struct Wakes {
    others: Arc<Others>,
    /// How to reach the database; `None` when others are not to be told.
    config: Option<(Config, Tls)>,
    task: Mutex<Option<AbortHandle>>,
}

impl Wakes {
    pub(crate) fn new(options: &PostgresOptions) -> Result<Self, StoreError> {
        let config = || Ok((options.config(SessionKind::Wake)?, options.tls()?));
        let config = options.notify.then(config).transpose()?;
        Ok(Self { others: Arc::default(), config, task: Mutex::default() })
    }

    fn wake(&self, side: Side) {
        self.others.arrivals.tell(side);
        if self.config.is_some() {
            self.others.are_to_hear(side);
            self.start();
        }
    }

    /// Starts the line, unless it stands. A runtime that ended took its line with it.
    fn start(&self) {
        let (Some(config), Ok(runtime)) = (&self.config, Handle::try_current()) else { return };
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if task.as_ref().is_none_or(AbortHandle::is_finished) {
            let line = keep_a_line(Arc::clone(&self.others), config.clone());
            *task = Some(runtime.spawn(line).abort_handle());
        }
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        let task = self.task.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = task {
            task.abort();
        }
    }
}
