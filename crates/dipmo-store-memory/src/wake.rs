//! Waking: channels that all clones share.

use dipmo_inbox::Stored;
use dipmo_store::{Side, Wake};
use tokio::sync::watch;

use crate::MemoryStore;

impl Wake for MemoryStore {
    fn arrivals(&self, side: Side) -> watch::Receiver<u64> {
        self.arrivals.of(side)
    }
}

impl MemoryStore {
    /// Wakes a side if something was made ready there; passes the count on.
    pub(crate) fn waking(&self, side: Side, count: usize) -> usize {
        if count > 0 {
            self.arrivals.tell(side);
        }
        count
    }
}

/// How many messages are new.
pub(crate) fn new_of(stored: &[Stored]) -> usize {
    stored.iter().filter(|answer| matches!(answer, Stored::New(_))).count()
}
