//! What instances remember: all that happened to them, in order.

use serde::{Deserialize, Serialize};

/// What an account remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) seen: Vec<Seen>,
    /// The number of the last note that was taken, which is also in the ledger.
    pub(crate) balance: i64,
}

/// One thing that happened to an account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Seen {
    /// Note `n`, with the version of the producer.
    Note { n: u32, version: Option<i64> },
    /// The timer that note `n` set.
    Rang { n: u32 },
    /// How an intent ended.
    Outcome { event_type: String, failed: u64 },
}
