//! Waking: channels that all instances on one file share, within this process.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use dipmo_store::{Arrivals, Side, Wake};
use tokio::sync::watch;

use crate::SqliteStore;
use crate::sql::Which;
use crate::url::Place;

impl Wake for SqliteStore {
    fn arrivals(&self, side: Side) -> watch::Receiver<u64> {
        self.arrivals.of(side)
    }
}

impl From<Which> for Side {
    fn from(which: Which) -> Self {
        match which {
            Which::Inbox => Self::Inbox,
            Which::Outbox => Self::Outbox,
        }
    }
}

/// The files that are open in this process.
static OPEN: Mutex<BTreeMap<PathBuf, Weak<Arrivals>>> = Mutex::new(BTreeMap::new());

/// The channels of a file that was just opened: those of who opened it before, if it still has it.
pub(crate) fn channels(place: &Place) -> Arc<Arrivals> {
    // One in memory is seen by nobody else.
    let Place::File(path) = place else { return Arc::default() };
    // Another way to write the path is the same file.
    let path = path.canonicalize().unwrap_or_else(|_| path.clone());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|_, known| known.strong_count() > 0);
    let known = open.get(&path).and_then(Weak::upgrade);
    known.unwrap_or_else(|| {
        let arrivals = Arc::default();
        open.insert(path, Arc::downgrade(&arrivals));
        arrivals
    })
}
