//! Tells the others on a database that this instance is there, and what it kept of what was promised.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::Json;
use dipmo_store::admin::{Fleet, InstanceReport};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::patience::rests;
use super::promised::Promised;
use crate::metrics::Metrics;

/// How often it tells.
const EVERY: Duration = Duration::from_secs(10);
/// Signing off takes no longer: whoever is not heard of is known to be gone as well.
const LAST_WORD: Duration = Duration::from_secs(2);

/// Who an instance is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    /// Its name: unique to this process.
    pub name: String,
    /// The version of dipmo.
    pub version: String,
    /// Its roles, such as `consume,process`.
    pub roles: String,
}

/// Reports every ten seconds, and signs off at the end.
pub struct Presence {
    fleet: Arc<dyn Fleet>,
    metrics: Arc<Metrics>,
    badge: Badge,
    look: Box<dyn Fn() -> Json + Send + Sync>,
    promised: Option<Promised>,
}

impl Presence {
    /// For an instance; `look` says how it is, in little and without any payload or secret.
    #[must_use]
    pub fn new(
        fleet: Arc<dyn Fleet>,
        badge: Badge,
        look: impl Fn() -> Json + Send + Sync + 'static,
    ) -> Self {
        Self { fleet, metrics: Arc::default(), badge, look: Box::new(look), promised: None }
    }

    /// Counts errors of the store where an engine counts.
    #[must_use]
    pub fn counting(mut self, metrics: Arc<Metrics>) -> Self {
        self.metrics = metrics;
        self
    }

    /// Adds up how often promises are kept, by the figures of the engine.
    #[must_use]
    pub fn keeping(mut self, promised: Option<Promised>) -> Self {
        self.promised = promised;
        self
    }

    /// Reports until it is stopped. No report is given up half way: it could come after the sign-off.
    pub async fn run(mut self, stop: CancellationToken) {
        loop {
            if let Err(error) = self.fleet.report(&self.report()).await {
                self.metrics.store_failed("report", &error);
            }
            self.tell().await;
            if !rests(Instant::now() + EVERY, &stop).await {
                break;
            }
        }
        let signed_off = timeout(LAST_WORD, self.fleet.sign_off(&self.badge.name)).await;
        if let Ok(Err(error)) = signed_off {
            self.metrics.store_failed("sign_off", &error);
        }
        // Last: that it is gone matters more than what it counted in the last seconds.
        let _ = timeout(LAST_WORD, self.tell()).await;
    }

    async fn tell(&mut self) {
        if let Some(promised) = &mut self.promised
            && let Err(error) = promised.tell(&self.metrics.snapshot()).await
        {
            self.metrics.store_failed("add_slo", &error);
        }
    }

    fn report(&self) -> InstanceReport {
        let Badge { name, version, roles } = self.badge.clone();
        InstanceReport { name, version, roles, report: (self.look)() }
    }
}
