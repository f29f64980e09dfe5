//! Moving an instance of a process by hand.

use async_trait::async_trait;
use dipmo_domain::{ProcessKey, StoreError, Timestamp};

use super::audit::AuditEntry;
use crate::{StateRow, StateWrite};

/// An instance that is to be moved, as somebody looked at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Which.
    pub key: ProcessKey,
    /// The `VERSION` that was looked at.
    pub version: i64,
    /// The state that it is to stand in.
    pub to: String,
    /// Who, why, and from where to where.
    pub entry: AuditEntry,
}

impl Move {
    /// What is written over the row that was looked at, and over no other. It is a transition of which nobody
    /// decided anything: document, versions of the producer and time of the last event stay, and what went
    /// wrong before is over.
    #[must_use]
    pub fn write(&self, row: StateRow) -> StateWrite {
        StateWrite {
            key: row.key,
            expected_version: Some(self.version),
            version: self.version + 1,
            state: self.to.clone(),
            context: row.context,
            event_versions: row.event_versions,
            attempts: 0,
            last_event_ts: Some(row.last_event_ts),
            failure: None,
        }
    }
}

/// What became of a wish to move an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// It stands there.
    Done {
        /// How many timers were taken away.
        timers: u64,
    },
    /// It went on since it was looked at. Nothing changed.
    Changed,
    /// There is no such instance.
    NotFound,
}

/// A timer of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimerLine {
    /// Its name.
    pub name: String,
    /// The type of the message that it becomes.
    pub event_type: String,
    /// When.
    pub due_at: Timestamp,
}

/// Instances of processes in the hands of a person.
#[async_trait]
pub trait Steer: Send + Sync {
    /// Timers of an instance that have not come yet, by their names, at most `limit`.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn timers_of(&self, key: &ProcessKey, limit: u32) -> Result<Vec<TimerLine>, StoreError>;

    /// Moves an instance to a state of its process and takes its timers away, with the entry of the audit, in one
    /// transaction. It has the next `VERSION` then, so that a worker who decides at the same moment decides
    /// again. No effect is sent, and nothing else is written.
    ///
    /// # Errors
    /// [`StoreError::RowRefused`] for a state that the process does not have. When nothing was changed.
    async fn move_instance(&self, wish: &Move) -> Result<Moved, StoreError>;
}
