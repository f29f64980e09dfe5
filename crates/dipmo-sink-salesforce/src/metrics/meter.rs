//! The figures of one way.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::Histogram;
use dipmo_outbox::JobPhase;

/// So many different codes are told apart; the rest counts as `other`.
const CODES: usize = 100;

/// Counts for one way; a lock of its own, held for an addition.
#[derive(Debug, Default)]
pub(crate) struct Meter(Mutex<Figures>);

/// What became of the records that went one way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Calls that were made.
    pub calls: u64,
    /// How long they took, answered or not.
    pub latency: Histogram,
    /// Records that Salesforce acknowledged.
    pub records: u64,
    /// Units that were settled by them; more than records where several were one.
    pub units: u64,
    /// Attempts at a unit that failed for now.
    pub retries: u64,
    /// What was wrong with rows, by Salesforce's code or ours, each attempt.
    pub row_errors: BTreeMap<String, u64>,
    /// Calls that failed as a whole, by code.
    pub call_errors: BTreeMap<String, u64>,
    /// Jobs that reached a phase.
    pub job_phases: BTreeMap<&'static str, u64>,
    /// Why `Auto` chose this API, and how often.
    pub choices: BTreeMap<&'static str, u64>,
}

impl Meter {
    pub(crate) fn read(&self) -> Figures {
        self.lock().clone()
    }

    /// A call ended, well or not.
    pub(crate) fn called(&self, latency: Duration) {
        let mut figures = self.lock();
        figures.calls += 1;
        figures.latency.add(latency);
    }

    /// A call failed as a whole; counted beside [`Meter::called`].
    pub(crate) fn call_failed(&self, code: &str) {
        count(&mut self.lock().call_errors, code);
    }

    /// Salesforce acknowledged so many records, and so many units were settled by that.
    pub(crate) fn delivered(&self, records: u64, units: u64) {
        let mut figures = self.lock();
        figures.records += records;
        figures.units += units;
    }

    /// So many units are tried again later.
    pub(crate) fn retried(&self, units: u64) {
        self.lock().retries += units;
    }

    /// Something was wrong with a row.
    pub(crate) fn row_failed(&self, code: &str) {
        count(&mut self.lock().row_errors, code);
    }

    /// A job reached a phase.
    pub(crate) fn job(&self, phase: JobPhase) {
        *self.lock().job_phases.entry(phase.as_str()).or_default() += 1;
    }

    /// `Auto` chose this API.
    pub(crate) fn chosen(&self, reason: &'static str) {
        *self.lock().choices.entry(reason).or_default() += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(codes: &mut BTreeMap<String, u64>, code: &str) {
    if let Some(times) = codes.get_mut(code) {
        *times += 1;
    } else {
        let code = if codes.len() < CODES { code } else { "other" };
        *codes.entry(code.to_owned()).or_default() += 1;
    }
}
