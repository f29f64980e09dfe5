//! All gates: one of each org and object.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Gate, QuotaSource, ResilienceError, ResilienceOptions};
use crate::metrics::Metrics;

/// The gates of a publisher.
pub(crate) struct Gates {
    options: ResilienceOptions,
    _metrics: Arc<Metrics>,
    gates: Mutex<BTreeMap<(String, String), Arc<Gate>>>,
}

impl Gates {
    /// Gates for orgs that have these options unless [`Gates::org`] says otherwise.
    pub(crate) fn new(
        options: ResilienceOptions,
        metrics: Arc<Metrics>,
    ) -> Result<Self, ResilienceError> {
        options.check()?;
        Ok(Self { options, _metrics: metrics, gates: Mutex::default() })
    }

    /// Makes an org known: its options, where they differ, and who knows about its allowances.
    /// To be called before its first gate.
    pub(crate) fn org(
        &self,
        _org: &str,
        options: Option<ResilienceOptions>,
        _quota: Arc<dyn QuotaSource>,
    ) -> Result<(), ResilienceError> {
        options.map_or(Ok(()), |options| options.check())
    }

    /// The way to an object for single calls, Collections, Composite and Graph.
    pub(crate) fn gate(&self, org: &str, object: &str) -> Arc<Gate> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = self.options.of_object(object).time_limit;
        let gate = || Arc::new(Gate::new(limit));
        Arc::clone(gates.entry((org.to_owned(), object.to_owned())).or_insert_with(gate))
    }

    /// The way to the same object for Bulk jobs: shares everything but the allowance.
    pub(crate) fn bulk_gate(&self, org: &str, object: &str) -> Arc<Gate> {
        self.gate(org, object)
    }
}
