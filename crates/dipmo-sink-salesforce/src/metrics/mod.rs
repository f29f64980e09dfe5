//! Figures of the publisher: per org, object and API; counted call by call, read at any time.

mod meter;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dipmo_domain::SalesforceApi;

pub use meter::Figures;
pub(crate) use meter::Meter;

/// The figures of a publisher, of this instance since it started.
#[derive(Debug, Default)]
pub struct Metrics {
    meters: Mutex<BTreeMap<Way, Arc<Meter>>>,
}

/// An object of an org by an API: what figures are kept for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Way {
    /// The org.
    pub org: String,
    /// The sObject.
    pub object: String,
    /// The API that was used, never `Auto`.
    pub api: SalesforceApi,
}

/// All figures at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// What was sent, per org, object and API.
    pub ways: BTreeMap<Way, Figures>,
}

impl Metrics {
    /// Reads all figures: a lock and a copy for each way.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let meters = self.lock().clone();
        Snapshot { ways: meters.into_iter().map(|(way, meter)| (way, meter.read())).collect() }
    }

    /// The meter of a way. Keep it: looking it up takes a lock that all ways share.
    pub(crate) fn meter(&self, org: &str, object: &str, api: SalesforceApi) -> Arc<Meter> {
        let way = Way { org: org.to_owned(), object: object.to_owned(), api };
        Arc::clone(self.lock().entry(way).or_default())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Way, Arc<Meter>>> {
        self.meters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
