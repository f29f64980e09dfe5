//! Reports: how old what waits is, what is hot, and whether the database is as it must be.

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};

use super::ageing::Ageing;
use crate::Side;

/// Of so many of the newest messages the recent aggregates are told.
pub const RECENT: u32 = 10_000;

/// Order keys that stand out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hot {
    /// Keys behind which the most waits, the worst first.
    pub keys: Vec<HotKey>,
    /// True when all that waits aside was counted; the counts are at least so high otherwise.
    pub complete: bool,
    /// Aggregates with the most messages among the [`RECENT`] newest, the most first.
    pub recent: Vec<HotAggregate>,
    /// How many messages those were counted among.
    pub among: u64,
}

/// An order key of which something waits aside: held, parked or to be tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotKey {
    /// Which side.
    pub side: Side,
    /// The destination, in the outbox; empty in the inbox.
    pub queue: String,
    /// The key.
    pub key: String,
    /// True when the key is the aggregate of a message, or of the outbox; else it is a Kafka key.
    pub is_aggregate: bool,
    /// How much of it waits.
    pub waiting: u64,
    /// RECEIVED_AT or CREATED_AT of the oldest.
    pub oldest: Timestamp,
    /// What the others wait for, if one of them is the head.
    pub head: Option<i64>,
}

impl HotKey {
    /// The keys of which the most waits, the worst first.
    #[must_use]
    pub fn worst(mut keys: Vec<Self>, limit: u32) -> Vec<Self> {
        keys.sort_by(|a, b| (b.waiting, a.oldest, &a.key).cmp(&(a.waiting, b.oldest, &b.key)));
        keys.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        keys
    }
}

/// An aggregate of which much has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotAggregate {
    /// `AGGREGATE_ID`.
    pub aggregate: String,
    /// How many messages.
    pub messages: u64,
    /// RECEIVED_AT of the newest.
    pub last: Timestamp,
}

/// What is to be known of the database itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Soundness {
    /// True when the database refused to change and to delete an entry of the audit, just now.
    pub audit_is_kept: bool,
    /// How many months have room of their own, counted from the current one without a gap; `None` in a store that
    /// needs no months.
    pub months: Option<u32>,
    /// How large it is.
    pub bytes: u64,
}

/// Reports. Each reads a bounded number of rows, whatever waits and whatever the history.
#[async_trait]
pub trait Reports: Send + Sync {
    /// How old what waits is.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn ageing(&self) -> Result<Ageing, StoreError>;

    /// Keys and aggregates that stand out, at most `limit` of each.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn hot(&self, limit: u32) -> Result<Hot, StoreError>;

    /// Whether the database is as it must be. Nothing is changed, also where it would let somebody.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn soundness(&self) -> Result<Soundness, StoreError>;
}
