//! Looking without touching: what tests, reports and operators read.

use async_trait::async_trait;
use dipmo_api::FactRow;
use dipmo_api::table::DomainTable;
use dipmo_domain::{ContentHash, DedupeKey, InboxId, OutboxId, ProcessKey, StoreError, Timestamp};
use dipmo_inbox::InboxRow;
use dipmo_outbox::{OutboxRow, RecordRow};

use crate::{Backlog, StateRow};

/// A message that came with the id of another one and a different content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// The message that was stored first.
    pub first: InboxId,
    /// `SOURCE_SYSTEM` of both.
    pub source_system: String,
    /// `MESSAGE_ID` of both.
    pub message_id: String,
    /// Where the other one came from.
    pub topic: String,
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
    /// Its value in base64; `None` is a tombstone or JSON, which is in `payload`.
    pub raw_payload_base64: Option<String>,
    /// Its value, when it is JSON.
    pub payload: Option<String>,
    /// When it came.
    pub received_at: Timestamp,
}

/// A dedupe id that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The message that was stored under it; its row may be history.
    pub message: InboxId,
    /// What its value was.
    pub content: ContentHash,
}

/// Reads for people, and figures. None of them is on a hot path.
#[async_trait]
pub trait Inspect: Send + Sync {
    /// The newest messages, newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn inbox_rows(&self, limit: u32) -> Result<Vec<InboxRow>, StoreError>;

    /// The newest intents, newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn outbox_rows(&self, limit: u32) -> Result<Vec<OutboxRow>, StoreError>;

    /// The records of an intent, in order.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn records(&self, intent: OutboxId) -> Result<Vec<RecordRow>, StoreError>;

    /// An instance of a process.
    ///
    /// # Errors
    /// When the database does not answer, or the process has no table.
    async fn instance(&self, key: &ProcessKey) -> Result<Option<StateRow>, StoreError>;

    /// All rows of a domain table, in the order of its key; meant for small ones.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn domain_rows(&self, table: &DomainTable) -> Result<Vec<FactRow>, StoreError>;

    /// The newest incidents, newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn incidents(&self, limit: u32) -> Result<Vec<Incident>, StoreError>;

    /// What is known under dedupe ids, for each in its place.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn known(&self, keys: &[DedupeKey]) -> Result<Vec<Option<Known>>, StoreError>;

    /// How much waits, counted at one moment. Meant to be asked every few seconds: it reads what
    /// waits and nothing that has ended.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn backlog(&self) -> Result<Backlog, StoreError>;
}
