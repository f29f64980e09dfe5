//! The log of calls, and what it adds up to.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::report::LoggedCall;
use crate::server::api::Api;

/// How many calls are remembered one by one, and how many bytes their texts may have together. The
/// counters know of all.
const REMEMBERED: usize = 100_000;
const REMEMBERED_BYTES: usize = 32 * 1024 * 1024;

/// The bytes of a call, which grow until its answer is out.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) received: Arc<AtomicU64>,
    pub(crate) sent: Arc<AtomicU64>,
}

/// A call that was answered, or left without an answer.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: u64,
    pub(crate) at: Timestamp,
    pub(crate) api: Api,
    pub(crate) method: String,
    pub(crate) path: String,
    /// 0: the connection ended without an answer.
    pub(crate) status: u16,
    pub(crate) traffic: Traffic,
    pub(crate) rows: u64,
    pub(crate) fault: Option<String>,
    pub(crate) millis: u64,
}

impl Entry {
    /// The bytes of what the client chose.
    fn bytes(&self) -> usize {
        self.method.len() + self.path.len()
    }

    fn report(&self) -> LoggedCall {
        LoggedCall {
            id: self.id,
            at: self.at.to_string(),
            api: self.api.name(),
            method: self.method.clone(),
            path: self.path.clone(),
            status: self.status,
            bytes_in: self.traffic.received.load(Ordering::Relaxed),
            bytes_out: self.traffic.sent.load(Ordering::Relaxed),
            rows: self.rows,
            fault: self.fault.clone(),
            millis: self.millis,
        }
    }
}

/// All calls since the start or the last reset.
#[derive(Debug, Default)]
pub(crate) struct CallLog {
    last_id: AtomicU64,
    panics: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the last reset.
    epoch: u64,
    entries: VecDeque<Entry>,
    /// Of all entries together.
    bytes: usize,
    by_status: BTreeMap<(Api, u16), u64>,
    by_fault: BTreeMap<String, u64>,
}

impl CallLog {
    /// The number of a new call. Numbers go on after a reset, so that they never mean two calls.
    pub(crate) fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Adds a call, unless there was a reset since the epoch in which it arrived.
    pub(crate) fn add(&self, epoch: u64, entry: Entry) {
        let mut state = self.state();
        if epoch < state.epoch {
            return;
        }
        *state.by_status.entry((entry.api, entry.status)).or_default() += 1;
        if let Some(fault) = &entry.fault {
            *state.by_fault.entry(fault.clone()).or_default() += 1;
        }
        state.bytes += entry.bytes();
        state.entries.push_back(entry);
        while state.entries.len() > REMEMBERED || state.bytes > REMEMBERED_BYTES {
            let Some(oldest) = state.entries.pop_front() else { break };
            state.bytes -= oldest.bytes();
        }
    }

    /// A handler that panicked is a bug of the simulator, and this is how a test sees it.
    pub(crate) fn count_panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets all calls of before this epoch.
    pub(crate) fn clear(&self, epoch: u64) {
        *self.state() = State { epoch, ..State::default() };
        self.panics.store(0, Ordering::Relaxed);
    }

    /// The calls that are wanted, the oldest first.
    pub(crate) fn show(&self, limit: usize, wanted: impl Fn(&Entry) -> bool) -> Vec<LoggedCall> {
        let state = self.state();
        state.entries.iter().filter(|entry| wanted(entry)).take(limit).map(Entry::report).collect()
    }

    /// How many calls of each family had which status, and which faults they met.
    pub(crate) fn counters(&self) -> Json {
        let state = self.state();
        let mut calls: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
        for ((api, status), count) in &state.by_status {
            calls.entry(api.name()).or_default().insert(status.to_string(), *count);
        }
        let panics = self.panics.load(Ordering::Relaxed);
        json!({ "calls": calls, "faults": state.by_fault, "panics": panics })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Entry {
        Entry {
            id: 1,
            at: Timestamp::UNIX_EPOCH,
            api: Api::Other,
            method: "GET".to_owned(),
            path: path.to_owned(),
            status: 200,
            traffic: Traffic::default(),
            rows: 0,
            fault: None,
            millis: 0,
        }
    }

    #[test]
    fn long_paths_push_old_calls_out() {
        let log = CallLog::default();
        log.add(0, entry("/first"));
        let long = "x".repeat(REMEMBERED_BYTES / 4);
        for _ in 0..4 {
            log.add(0, entry(&long));
        }
        assert_eq!(log.show(10, |_| true).len(), 3);
        assert_eq!(log.counters()["calls"]["other"]["200"], 5);
    }

    #[test]
    fn a_call_of_before_a_reset_is_not_logged_after_it() {
        let log = CallLog::default();
        log.clear(1);
        log.add(0, entry("/old"));
        log.add(1, entry("/new"));
        assert_eq!(log.show(10, |_| true).len(), 1);
    }
}
