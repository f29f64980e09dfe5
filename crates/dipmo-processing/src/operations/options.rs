//! What who performs operations can be told.

use std::time::Duration;

/// Options of who performs operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationOptions {
    /// How often to look for an operation that nobody performs: after so long or, so that instances do not
    /// look together, up to twice that. Defaults to 1 s.
    pub poll: Duration,
    /// How many are performed at once, so that a slow one keeps no other waiting. Defaults to 4.
    pub at_once: usize,
    /// How many items are met at once, at most; fewer where an operation says how many a second. A pause or
    /// a cancellation is heard between two batches. Defaults to 500, and is never more than a store takes.
    pub batch: u32,
    /// How many messages are decoded or processed again at once: all of them are in memory. Defaults to 100.
    pub decoded: u32,
    /// How long an operation is leased. After a crash nobody goes on with it for as long. Defaults to 10 s.
    pub lease: Duration,
    /// Where random numbers begin; `None` is anywhere.
    pub seed: Option<u64>,
}

impl Default for OperationOptions {
    fn default() -> Self {
        Self {
            poll: Duration::from_secs(1),
            at_once: 4,
            batch: 500,
            decoded: 100,
            lease: Duration::from_secs(10),
            seed: None,
        }
    }
}
