//! The figures of one way.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::Histogram;
use dipmo_outbox::JobPhase;
use tokio::time::Instant;

use super::hourly::Hourly;

/// Counts for one way; a lock of its own, held for an addition.
#[derive(Debug)]
pub(crate) struct Meter(Mutex<Counted>);

#[derive(Debug)]
struct Counted {
    figures: Figures,
    hourly: Hourly,
}

/// What became of the records that went one way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Calls that were made.
    pub calls: u64,
    /// How long they took, answered or not.
    pub latency: Histogram,
    /// Calls that failed as a whole, by Salesforce's code or ours.
    pub call_errors: BTreeMap<String, u64>,
    /// Records that Salesforce acknowledged.
    pub records: u64,
    /// The same within the last hour.
    pub records_last_hour: u64,
    /// Units that were settled by them; more than records where one record was for several.
    pub units: u64,
    /// Attempts at a unit that failed for now.
    pub retries: u64,
    /// What was wrong with rows, by Salesforce's code or ours, each attempt.
    pub row_errors: BTreeMap<String, u64>,
    /// Jobs that reached a phase.
    pub job_phases: BTreeMap<&'static str, u64>,
    /// Why `Auto` chose this API, and how often.
    pub choices: BTreeMap<&'static str, u64>,
}

impl Default for Meter {
    fn default() -> Self {
        let hourly = Hourly::new(Instant::now());
        Self(Mutex::new(Counted { figures: Figures::default(), hourly }))
    }
}

impl Meter {
    pub(super) fn read(&self) -> Figures {
        let mut counted = self.lock();
        let records_last_hour = counted.hourly.sum(Instant::now());
        Figures { records_last_hour, ..counted.figures.clone() }
    }

    /// A call ended, well or not.
    pub(crate) fn called(&self, latency: Duration) {
        let figures = &mut self.lock().figures;
        figures.calls += 1;
        figures.latency.add(latency);
    }

    /// A call failed as a whole; counted beside [`Meter::called`].
    pub(crate) fn call_failed(&self, code: &str) {
        super::count(&mut self.lock().figures.call_errors, code);
    }

    /// Salesforce acknowledged so many records, and so many units were settled by that.
    pub(crate) fn delivered(&self, records: u64, units: u64) {
        let mut counted = self.lock();
        counted.figures.records += records;
        counted.figures.units += units;
        counted.hourly.add(records, Instant::now());
    }

    /// So many units are tried again later.
    pub(crate) fn retried(&self, units: u64) {
        self.lock().figures.retries += units;
    }

    /// Something was wrong with a row.
    pub(crate) fn row_failed(&self, code: &str) {
        super::count(&mut self.lock().figures.row_errors, code);
    }

    /// A job reached a phase.
    pub(crate) fn job(&self, phase: JobPhase) {
        *self.lock().figures.job_phases.entry(phase.as_str()).or_default() += 1;
    }

    /// `Auto` chose this API.
    pub(crate) fn chosen(&self, reason: &'static str) {
        *self.lock().figures.choices.entry(reason).or_default() += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
