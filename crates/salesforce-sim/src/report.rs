//! What a Rust test learns from a simulator: the answers of `/__sim`, typed.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// What an app logs in with.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Credentials {
    /// The `client_id`.
    pub client_id: String,
    /// The `client_secret`.
    pub client_secret: String,
}

impl fmt::Debug for Credentials {
    /// Without the secret, which a test would print into its log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

/// What was ever applied under one external id. The lists have one element for each write, in the
/// order in which they were applied.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct LedgerEntry {
    /// The external id: a text or, where the field is one, a number.
    pub key: Json,
    /// The records that ever had it.
    pub ids: Vec<String>,
    /// How often it was created or updated.
    pub applied: usize,
    /// How often it was deleted.
    pub deleted: usize,
    /// The numbers of the writes, which count all writes of the org without a gap.
    pub sequence: Vec<u64>,
    /// The calls that asked for them; see [`LoggedCall::id`].
    pub calls: Vec<u64>,
    /// The bulk jobs that they belong to.
    pub jobs: Vec<Option<String>>,
    /// What each did.
    pub kinds: Vec<WriteKind>,
    /// The values of the tracked fields after each.
    pub tracked: Vec<Map<String, Json>>,
}

/// What a write did to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WriteKind {
    /// The record was made.
    Created,
    /// Its fields were written.
    Updated,
    /// It was put into the recycle bin.
    Deleted,
    /// It was deleted for good.
    Erased,
    /// Its parent was deleted, and its look-up became empty.
    Detached,
}

/// A record as it is now.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct RecordNow {
    /// Its id.
    pub id: String,
    /// Whether it is in the recycle bin, or gone for good.
    pub deleted: bool,
    /// How many writes were applied to it.
    pub writes: usize,
    /// All its fields.
    pub fields: Map<String, Json>,
}

/// A call that arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LoggedCall {
    /// Its number.
    pub id: u64,
    /// When it came, as in `2026-03-01T10:20:30.123Z`.
    pub at: String,
    /// The family of the API, such as `sobject` or `bulk.poll`.
    pub api: &'static str,
    /// The HTTP method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The HTTP status; 0 where the connection ended without an answer.
    pub status: u16,
    /// The size of its body.
    pub bytes_in: u64,
    /// The size of the answer's body so far.
    pub bytes_out: u64,
    /// How many records it was about.
    pub rows: u64,
    /// The kind of the fault that it met.
    pub fault: Option<String>,
    /// How long it took.
    pub millis: u64,
}
