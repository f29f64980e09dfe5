//! What an instance tells of itself: how it is, what its clock says, and how much it did a second since it told last.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dipmo_domain::{Json, Timestamp};
use dipmo_processing::Metrics;
use dipmo_processing::health::Reason;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::service::Health;

/// What is looked at when the instance tells.
pub(super) struct Telling {
    health: Health,
    metrics: Arc<Metrics>,
    kafka: Vec<Arc<dipmo_source_kafka::Metrics>>,
    http: Vec<Arc<dipmo_source_http::Metrics>>,
    last: Mutex<Option<(Instant, Totals)>>,
}

/// What was done since the instance started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    received: u64,
    processed: u64,
    dispatched: u64,
    failed: u64,
}

impl Telling {
    /// Of an engine and its sources.
    pub(super) const fn new(
        health: Health,
        metrics: Arc<Metrics>,
        kafka: Vec<Arc<dipmo_source_kafka::Metrics>>,
        http: Vec<Arc<dipmo_source_http::Metrics>>,
    ) -> Self {
        Self { health, metrics, kafka, http, last: Mutex::new(None) }
    }

    /// How the instance is, in little.
    pub(super) fn look(&self) -> Json {
        let verdict = self.health.verdict();
        // What it says may hold what a destination said: that is for the log and for probes of the machine.
        let reason = |it: &Reason| json!({ "name": it.name, "about": it.about });
        let reasons: Vec<_> = verdict.reasons.iter().map(reason).collect();
        let told = json!({
            "ready": verdict.is_ready(),
            "reasons": reasons,
            "clock": clock().to_string(),
            "per_second": self.per_second(),
        });
        Json::of(&told).unwrap_or_else(|_| Json::null())
    }

    /// How much was done a second since the last time; null the first time, when nobody knows.
    fn per_second(&self) -> Value {
        let now = (Instant::now(), self.totals());
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.replace(now);
        before.map_or(Value::Null, |(at, before)| now.1.since(before, now.0 - at))
    }

    fn totals(&self) -> Totals {
        let engine = self.metrics.snapshot();
        let kafka = self.kafka.iter().map(|source| source.snapshot().stored);
        let http = self.http.iter().map(|source| source.snapshot().stored);
        let units = engine.outbox.values();
        let failed = units.clone().map(|figures| figures.failed).sum::<u64>();
        Totals {
            received: kafka.chain(http).sum(),
            processed: engine.inbox.ended.values().sum(),
            dispatched: units.map(|figures| figures.dispatched).sum(),
            failed: engine.inbox.failed + failed,
        }
    }
}

impl Totals {
    #[expect(clippy::cast_precision_loss, reason = "what is done in seconds fits a double")]
    fn since(self, before: Self, span: Duration) -> Value {
        let seconds = span.as_secs_f64();
        let rate = |now: u64, before: u64| {
            let done = now.saturating_sub(before) as f64;
            if seconds > 0.0 { (done / seconds * 10.0).round() / 10.0 } else { 0.0 }
        };
        json!({
            "received": rate(self.received, before.received),
            "processed": rate(self.processed, before.processed),
            "dispatched": rate(self.dispatched, before.dispatched),
            "failed": rate(self.failed, before.failed),
        })
    }
}

/// The clock of this machine, which somebody compares with that of the database.
#[expect(clippy::disallowed_methods, reason = "what this machine takes for now is what is told")]
fn clock() -> Timestamp {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::EPOCH.after(since_1970)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_what_was_done_since_and_never_less_than_nothing() {
        let before = Totals { received: 100, processed: 90, dispatched: 7, failed: 2 };
        let now = Totals { received: 125, processed: 91, dispatched: 7, failed: 0 };
        let told = now.since(before, Duration::from_secs(10));
        let expected = json!({"received": 2.5, "processed": 0.1, "dispatched": 0.0, "failed": 0.0});
        assert_eq!(told, expected);
        assert_eq!(now.since(before, Duration::ZERO)["received"], 0.0);
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_time_nobody_knows_how_much_it_is_a_second() {
        let telling = Telling::new(Health::default(), Arc::default(), vec![], vec![]);
        let told = || serde_json::from_str::<Value>(telling.look().as_str()).unwrap();
        let first = told();
        assert!(first["per_second"].is_null() && first["clock"].is_string(), "{first}");
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(told()["per_second"]["processed"], 0.0);
    }
}
