//! Gates as a whole, in time that only passes when nobody has anything to do.

mod entering;
mod failing;
mod handle;
mod property;
mod quota;

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::Failure;
use dipmo_outbox::Readiness;
use futures_util::FutureExt as _;
use tokio::time::Instant;

use super::{Gate, Gates, Held, Pass, ResilienceOptions};
use crate::metrics::{GateFigures, Metrics};

/// Gates, and what they count.
struct World {
    gates: Gates,
    metrics: Arc<Metrics>,
    start: Instant,
}

impl World {
    fn new(change: impl FnOnce(&mut ResilienceOptions)) -> Self {
        let mut options = ResilienceOptions::default();
        change(&mut options);
        let metrics = Arc::new(Metrics::default());
        let gates = Gates::new(options, Arc::clone(&metrics)).unwrap();
        Self { gates, metrics, start: Instant::now() }
    }

    fn contacts(&self) -> Arc<Gate> {
        self.gates.gate("emea", "Contact")
    }

    fn accounts(&self) -> Arc<Gate> {
        self.gates.gate("emea", "Account")
    }

    fn figures(&self, target: &super::Target) -> GateFigures {
        self.metrics.snapshot().gates[target].clone()
    }

    /// Since the test began, in milliseconds.
    fn time(&self) -> u128 {
        self.start.elapsed().as_millis()
    }
}

/// Enters if that needs no waiting.
fn at_once(gate: &Gate) -> Option<Result<Pass, Held>> {
    gate.enter().now_or_never()
}

/// Who is held, and why.
fn code(entered: Result<Pass, Held>) -> String {
    entered.unwrap_err().why.code().to_owned()
}

fn failure(code: &str) -> Failure {
    Failure::new(code, "because")
}

fn later(code: &str, gate: &Gate) -> Duration {
    match gate.readiness() {
        Readiness::Later { after, why } if why.code() == code => after,
        other => panic!("expected to wait for {code}, not {other:?}"),
    }
}

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}
