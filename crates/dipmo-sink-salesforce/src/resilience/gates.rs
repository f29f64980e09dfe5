//! All gates of a publisher.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::org::Org;
use super::{Gate, QuotaSource, ResilienceError, ResilienceHandle, ResilienceOptions};
use crate::metrics::Metrics;

/// The gates of a publisher: one org's trouble is nobody else's, and one object's neither.
#[derive(Debug)]
pub(crate) struct Gates {
    options: ResilienceOptions,
    metrics: Arc<Metrics>,
    orgs: Arc<Orgs>,
}

/// The orgs that there are, by name.
#[derive(Debug, Default)]
pub(super) struct Orgs(Mutex<BTreeMap<String, Arc<Org>>>);

impl Orgs {
    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Org>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gates {
    /// Gates for orgs that have these options unless [`Gates::org`] says otherwise.
    pub(crate) fn new(
        options: ResilienceOptions,
        metrics: Arc<Metrics>,
    ) -> Result<Self, ResilienceError> {
        options.check()?;
        Ok(Self { options, metrics, orgs: Arc::default() })
    }

    /// Makes an org known: its options, where they differ, and who knows about its allowances.
    /// To be called before its first gate is asked for: those that there are keep what they have.
    pub(crate) fn org(
        &self,
        org: &str,
        options: Option<ResilienceOptions>,
        quota: Arc<dyn QuotaSource>,
    ) -> Result<(), ResilienceError> {
        let options = options.unwrap_or_else(|| self.options.clone());
        options.check()?;
        let made = Arc::new(Org::new(org, options, Some(quota), Arc::clone(&self.metrics)));
        self.orgs.lock().insert(org.to_owned(), made);
        Ok(())
    }

    /// The way to an object for single calls, Collections, Composite and Graph.
    pub(crate) fn gate(&self, org: &str, object: &str) -> Arc<Gate> {
        Arc::new(Gate::for_calls(self.known(org), object))
    }

    /// The way to the same object for Bulk jobs: shares everything but the allowance of jobs.
    pub(crate) fn bulk_gate(&self, org: &str, object: &str) -> Arc<Gate> {
        Arc::new(Gate::for_jobs(self.known(org), object))
    }

    /// To look at everything and change it, for whoever runs the publisher.
    pub(crate) fn handle(&self) -> ResilienceHandle {
        ResilienceHandle::new(Arc::clone(&self.orgs))
    }

    fn known(&self, org: &str) -> Arc<Org> {
        let made =
            || Arc::new(Org::new(org, self.options.clone(), None, Arc::clone(&self.metrics)));
        Arc::clone(self.orgs.lock().entry(org.to_owned()).or_insert_with(made))
    }
}
