//! One job: what it was made for, and how far it is.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use tokio::sync::watch;

use super::format::Format;
use super::outcome::Outcomes;
use super::rows::Rows;
use super::scan::Contents;
use super::spec::Spec;
use super::spool::Spool;
use super::state::{State, Wish};
use crate::org::id::RecordId;
use crate::refusal::Refusal;

/// A job.
#[derive(Debug)]
pub(super) struct Job {
    /// Counts from one since the start or a reset; what is random about a job is drawn by it.
    pub(super) number: u64,
    pub(super) id: Arc<str>,
    pub(super) spec: Spec,
    /// The version of the API that it was made by, times ten.
    pub(super) version: u32,
    /// How many resets there were before it: it writes to no later org.
    pub(super) epoch: u64,
    pub(super) user: RecordId,
    pub(super) user_id: String,
    pub(super) created: Timestamp,
    progress: Mutex<Progress>,
}

/// How far a job is.
#[derive(Debug)]
pub(super) struct Progress {
    pub(super) state: State,
    /// Tells whoever waits for the end.
    over: watch::Sender<bool>,
    pub(super) changed: Timestamp,
    pub(super) upload: Uploaded,
    pub(super) outcomes: Outcomes,
    /// `errorMessage`, of a failed job.
    pub(super) error: Option<String>,
    /// How often rows were tried again because a record was locked.
    pub(super) retries: u64,
    pub(super) started: Option<Timestamp>,
}

/// The data of a job.
#[derive(Clone, Debug)]
pub(super) enum Uploaded {
    Nothing,
    /// A request is bringing it.
    Arriving,
    Complete(Arc<Upload>),
}

/// A complete upload: its bytes, and what they hold or the `errorMessage` that they deserve.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) spool: Spool,
    pub(super) contents: Result<Contents, String>,
}

impl Upload {
    /// The rows of a chunk.
    pub(super) fn rows(
        &self,
        contents: &Contents,
        chunk: usize,
        format: Format,
    ) -> io::Result<Rows> {
        let bounds = contents.chunk_bounds.get(chunk..chunk + 2).unwrap_or_default();
        let &[start, end] = bounds else { return Ok(Rows::default()) };
        Ok(Rows::read(&self.spool.read(start..end)?, format)?)
    }
}

/// Who makes a job, when and how.
#[derive(Debug)]
pub(super) struct Maker {
    pub(super) user: RecordId,
    pub(super) user_id: String,
    pub(super) version: u32,
    /// Of the call that makes it.
    pub(super) epoch: u64,
    pub(super) now: Timestamp,
}

impl Job {
    /// A job that waits for its data.
    pub(super) fn new(number: u64, id: Arc<str>, spec: Spec, maker: Maker) -> Self {
        let Maker { version, epoch, user, user_id, now } = maker;
        let progress = Progress {
            state: State::Open,
            over: watch::Sender::new(false),
            changed: now,
            upload: Uploaded::Nothing,
            outcomes: Outcomes::default(),
            error: None,
            retries: 0,
            started: None,
        };
        Job {
            number,
            id,
            spec,
            version,
            epoch,
            user,
            user_id,
            created: now,
            progress: Mutex::new(progress),
        }
    }

    /// Never held over an await.
    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the job is over, or forgotten.
    pub(super) async fn over(&self) {
        let mut over = self.progress().over.subscribe();
        // The sender lives as long as the job, so that this cannot fail.
        let _ = over.wait_for(|&over| over).await;
    }
}

impl Progress {
    /// The rows that were uploaded, as far as they could be read.
    pub(super) fn rows(&self) -> u64 {
        match &self.upload {
            Uploaded::Complete(upload) => {
                upload.contents.as_ref().map_or(0, |contents| contents.rows as u64)
            }
            Uploaded::Nothing | Uploaded::Arriving => 0,
        }
    }

    /// Goes to another state.
    pub(super) fn enter(&mut self, state: State, now: Timestamp) {
        self.set(state);
        self.changed = now;
    }

    /// Goes to another state because a client wishes it, where that is allowed.
    pub(super) fn grant(
        &mut self,
        wish: Wish,
        state: State,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        self.state.allow(wish)?;
        self.enter(state, now);
        Ok(())
    }

    /// Ends because nobody knows of the job any more.
    pub(super) fn abandon(&mut self) {
        if !self.state.is_over() {
            self.set(State::Aborted);
        }
    }

    fn set(&mut self, state: State) {
        self.state = state;
        self.over.send_replace(state.is_over());
    }

    /// Ends in `Failed`.
    pub(super) fn fail(&mut self, error: String, now: Timestamp) {
        self.error = Some(error);
        self.enter(State::Failed, now);
    }
}
