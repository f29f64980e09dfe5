//! The log of calls, and what it adds up to.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use crate::report::LoggedCall;
use crate::server::api::Api;

/// How many calls are remembered one by one. The counters know of all.
const REMEMBERED: usize = 100_000;

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
    entries: VecDeque<Entry>,
    by_status: BTreeMap<(Api, u16), u64>,
    by_fault: BTreeMap<String, u64>,
}

impl CallLog {
    /// The number of a new call. Numbers go on after a reset, so that they never mean two calls.
    pub(crate) fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn add(&self, entry: Entry) {
        let mut state = self.state();
        *state.by_status.entry((entry.api, entry.status)).or_default() += 1;
        if let Some(fault) = &entry.fault {
            *state.by_fault.entry(fault.clone()).or_default() += 1;
        }
        if state.entries.len() == REMEMBERED {
            state.entries.pop_front();
        }
        state.entries.push_back(entry);
    }

    /// A handler that panicked is a bug of the simulator, and this is how a test sees it.
    pub(crate) fn count_panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn clear(&self) {
        *self.state() = State::default();
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
