//! What messages would do if they were processed now: a port, because only who wires a pipeline knows its processes.

use std::fmt::Debug;

use async_trait::async_trait;
use dipmo_domain::{InboxId, StoreError};
use dipmo_inbox::NewMessage;

/// Decides without doing.
#[async_trait]
pub trait Rehearse: Debug + Send + Sync {
    /// What messages would do now, one after the other, each named by the message that it repeats. Nothing is changed.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn rehearse(
        &self,
        messages: &[(InboxId, NewMessage)],
    ) -> Result<Vec<Rehearsed>, StoreError>;
}

/// What a message would do, without anything that is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rehearsed {
    /// The message.
    pub message: InboxId,
    /// GOES, STAYS, WAITS, RETRIES, FAILS, HANDLED or IGNORED.
    pub outcome: &'static str,
    /// The code of the failure, or why it stays.
    pub why: Option<String>,
    /// The process that decides.
    pub process: Option<String>,
    /// The instance that it decides about.
    pub instance: Option<String>,
    /// The state in which the instance is, and those through which it would go.
    pub path: Vec<String>,
    /// What would be written.
    pub writes: Vec<String>,
    /// What would be sent.
    pub sends: Vec<Sends>,
    /// Timers that would be set or cancelled.
    pub timers: Vec<String>,
    /// Facts that cannot be read outside of a batch: with them it might decide otherwise.
    pub unknown_facts: Vec<String>,
}

/// What would be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sends {
    /// `EVENT_TYPE`.
    pub event: String,
    /// `DESTINATION`.
    pub destination: String,
    /// How many records it is about; 0 when it is about none.
    pub records: usize,
}

impl Rehearsed {
    /// Of a message of which nothing is known yet.
    #[must_use]
    pub const fn of(message: InboxId) -> Self {
        Self {
            message,
            outcome: "IGNORED",
            why: None,
            process: None,
            instance: None,
            path: Vec::new(),
            writes: Vec::new(),
            sends: Vec::new(),
            timers: Vec::new(),
            unknown_facts: Vec::new(),
        }
    }
}
