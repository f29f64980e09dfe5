//! Calls that are on their way to the database.
//!
//! The store in memory answers at once, so that no two of its transactions would ever overlap. A
//! call therefore waits here for a while, and a batch that is in the middle of its transaction may
//! let it run: then it happens inside of that transaction's time, as with a real database.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::chance::Chance;
use crate::sim::lock;

/// A call with everything that it needs; it tells its caller itself.
pub(crate) type Call = Box<dyn FnOnce() + Send>;

/// How many transactions may be open inside of each other.
const DEEPEST: usize = 3;

/// All calls that are on their way.
#[derive(Default)]
pub(crate) struct Traffic {
    waiting: Mutex<BTreeMap<u64, Call>>,
    last: AtomicU64,
    depth: AtomicUsize,
}

impl Traffic {
    /// Sends a call off; answers the number to ask for it with.
    pub(crate) fn add(&self, call: Call) -> u64 {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        lock(&self.waiting).insert(number, call);
        number
    }

    /// Runs a call unless it ran already.
    pub(crate) fn run(&self, number: u64) {
        let call = lock(&self.waiting).remove(&number);
        if let Some(call) = call {
            call();
        }
    }

    /// Runs any call that is on its way; false when there is none, or this is deep enough.
    pub(crate) fn run_any(&self, chance: &Chance) -> bool {
        let number = {
            let waiting = lock(&self.waiting);
            if waiting.is_empty() || self.depth.load(Ordering::Relaxed) >= DEEPEST {
                return false;
            }
            waiting.keys().nth(chance.below(waiting.len())).copied()
        };
        self.depth.fetch_add(1, Ordering::Relaxed);
        number.into_iter().for_each(|number| self.run(number));
        self.depth.fetch_sub(1, Ordering::Relaxed);
        true
    }

    /// No call arrives any more.
    pub(crate) fn forget(&self) {
        let all = std::mem::take(&mut *lock(&self.waiting));
        drop(all);
    }

    /// The call never arrives.
    pub(crate) fn lose(&self, number: u64) {
        let lost = lock(&self.waiting).remove(&number);
        drop(lost);
    }
}
