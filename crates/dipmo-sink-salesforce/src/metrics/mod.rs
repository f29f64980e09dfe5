//! Figures of the publisher: counted call by call, read at any time.
//!
//! Each way and each gate has a lock of its own, held for an addition: who sends one object never
//! waits for who sends another. `docs/metrics.md` says what each figure means.

mod gate;
mod hourly;
mod meter;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use dipmo_domain::SalesforceApi;

pub use gate::GateFigures;
pub(crate) use gate::GateMeter;
pub use meter::Figures;
pub(crate) use meter::Meter;

use crate::resilience::Target;

/// So many different codes are told apart in one figure; the rest counts as `other`.
const CODES: usize = 100;

/// The figures of a publisher, of this instance since it started.
#[derive(Debug, Default)]
pub struct Metrics {
    ways: Mutex<BTreeMap<Way, Arc<Meter>>>,
    gates: Mutex<BTreeMap<Target, Arc<GateMeter>>>,
}

/// An object of an org by an API: what figures of records are kept for.
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
    /// What was let through and what was not, per org and per object of it.
    pub gates: BTreeMap<Target, GateFigures>,
}

impl Metrics {
    /// Reads all figures: a lock and a copy for each way and each gate.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let (ways, gates) = (all(&self.ways), all(&self.gates));
        Snapshot {
            ways: ways.into_iter().map(|(way, meter)| (way, meter.read())).collect(),
            gates: gates.into_iter().map(|(target, meter)| (target, meter.read())).collect(),
        }
    }

    /// The meter of a way. Keep it: looking it up takes a lock that all ways share.
    pub(crate) fn meter(&self, org: &str, object: &str, api: SalesforceApi) -> Arc<Meter> {
        one(&self.ways, Way { org: org.to_owned(), object: object.to_owned(), api })
    }

    /// The meter of a gate.
    pub(crate) fn gate(&self, target: &Target) -> Arc<GateMeter> {
        one(&self.gates, target.clone())
    }
}

fn one<K: Ord, M: Default>(meters: &Mutex<BTreeMap<K, Arc<M>>>, key: K) -> Arc<M> {
    let mut meters = meters.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(meters.entry(key).or_default())
}

fn all<K: Ord + Clone, M>(meters: &Mutex<BTreeMap<K, Arc<M>>>) -> BTreeMap<K, Arc<M>> {
    meters.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Counts a code that comes from outside: their number is bounded, whatever comes.
fn count(codes: &mut BTreeMap<String, u64>, code: &str) {
    if let Some(times) = codes.get_mut(code) {
        *times += 1;
    } else {
        let code = if codes.len() < CODES { code } else { "other" };
        *codes.entry(code.to_owned()).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dipmo_outbox::JobPhase;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn figures_are_kept_per_way() {
        let metrics = Metrics::default();
        let contacts = metrics.meter("default", "Contact", SalesforceApi::Collections);
        contacts.called(Duration::from_millis(40));
        contacts.call_failed("UNAVAILABLE");
        contacts.called(Duration::from_millis(70));
        contacts.delivered(200, 250);
        contacts.retried(3);
        contacts.row_failed("UNABLE_TO_LOCK_ROW");
        contacts.chosen("few-records");
        let jobs = metrics.meter("default", "Contact", SalesforceApi::BulkV2);
        jobs.job(JobPhase::Made);
        tokio::time::advance(Duration::from_secs(3_600)).await;
        metrics.meter("default", "Contact", SalesforceApi::Collections).delivered(1, 1);

        let ways = metrics.snapshot().ways;
        let way = |api| Way { org: "default".to_owned(), object: "Contact".to_owned(), api };
        let figures = &ways[&way(SalesforceApi::Collections)];
        assert_eq!((figures.calls, figures.latency.count()), (2, 2));
        assert_eq!((figures.records, figures.records_last_hour, figures.units), (201, 1, 251));
        assert_eq!(figures.retries, 3);
        assert_eq!(figures.row_errors["UNABLE_TO_LOCK_ROW"], 1);
        assert_eq!(figures.call_errors["UNAVAILABLE"], 1);
        assert_eq!(figures.choices["few-records"], 1);
        assert_eq!(ways[&way(SalesforceApi::BulkV2)].job_phases["MADE"], 1);
    }

    #[test]
    fn codes_from_outside_do_not_fill_the_memory() {
        let mut codes = BTreeMap::new();
        for number in 0..10_000 {
            count(&mut codes, &format!("CODE_{number}"));
        }
        assert_eq!(codes.len(), CODES + 1);
        assert_eq!(codes["other"], 9_900);
        count(&mut codes, "CODE_7");
        assert_eq!(codes["CODE_7"], 2);
    }
}
