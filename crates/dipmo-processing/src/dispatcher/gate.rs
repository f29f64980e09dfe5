//! The gate: whether a destination takes anything now.
//!
//! One that does not is not read, and asked again when it said. Whoever reads the log or the
//! figures is told why, once. One that an operator paused is not even asked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Destination, Failure};
use dipmo_outbox::Readiness;
use dipmo_store::admin::Steered;
use tokio::time::{Instant, sleep_until};

use super::courier::ASK_AGAIN;
use super::services::{Service, Services};
use crate::metrics::{DestinationState, Metrics};
use crate::steering::Steering;

/// How often to ask one that needs a person: who mended it should not have to restart anything.
const STOPPED: Duration = Duration::from_secs(1);

/// No wait is longer, whatever a publisher says: it must fit the clock.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);

/// The destinations that take nothing now.
pub(super) struct Gate {
    metrics: Arc<Metrics>,
    steering: Steering,
    closed: BTreeMap<Destination, Closed>,
}

struct Closed {
    state: DestinationState,
    ask: Instant,
}

impl Gate {
    pub(super) const fn new(metrics: Arc<Metrics>, steering: Steering) -> Self {
        Self { metrics, steering, closed: BTreeMap::new() }
    }

    /// Asks those again whose time has come or that were resumed, also those that have nothing to deliver any more.
    pub(super) fn ask_again(&mut self, services: &Services) {
        let now = Instant::now();
        let resumed = |destination: &Destination, closed: &Closed| {
            matches!(closed.state, DestinationState::Paused { .. })
                && self.paused(destination).is_none()
        };
        let due = self
            .closed
            .iter()
            .filter(|(destination, closed)| closed.ask <= now || resumed(destination, closed));
        let due: Vec<Destination> = due.map(|(destination, _)| destination.clone()).collect();
        for destination in due {
            if let Some(service) = services.of(&destination) {
                self.ask(&destination, &service);
            }
        }
    }

    /// True when something can be delivered now.
    pub(super) fn is_open(&mut self, destination: &Destination, service: &Service) -> bool {
        !self.closed.contains_key(destination) && self.ask(destination, service)
    }

    /// Waits until somebody is to be asked again.
    pub(super) async fn wait(&self) {
        match self.closed.values().map(|closed| closed.ask).min() {
            Some(ask) => sleep_until(ask).await,
            None => std::future::pending().await,
        }
    }

    fn ask(&mut self, destination: &Destination, service: &Service) -> bool {
        let (state, after) = match self.paused(destination) {
            Some(why) => (DestinationState::Paused { why }, STOPPED),
            None => match service.readiness(destination) {
                Readiness::Ready => (DestinationState::Ready, Duration::ZERO),
                Readiness::Later { after, why } => (DestinationState::Later { why }, after),
                Readiness::Stopped { why } => (DestinationState::Stopped { why }, STOPPED),
            },
        };
        let before = self.closed.remove(destination).map(|closed| closed.state);
        let is_open = state == DestinationState::Ready;
        if before.is_none() && is_open {
            return true;
        }
        if !before.is_some_and(|before| before.is_like(&state)) {
            tell(destination, &state, after);
        }
        self.metrics.state(destination, &state);
        if !is_open {
            let ask = Instant::now() + after.clamp(ASK_AGAIN, LONGEST);
            self.closed.insert(destination.clone(), Closed { state, ask });
        }
        is_open
    }

    fn paused(&self, destination: &Destination) -> Option<Failure> {
        self.steering.paused_as(Steered::Destination, || destination.to_string())
    }
}

fn tell(destination: &Destination, state: &DestinationState, after: Duration) {
    match state {
        DestinationState::Ready => tracing::info!(%destination, "it is delivered to again"),
        DestinationState::Later { why } => {
            let (code, why) = (why.code(), why.message());
            tracing::warn!(%destination, code, why, ?after, "nothing is delivered for a while");
        }
        DestinationState::Paused { why } => {
            tracing::info!(%destination, why = why.message(), "nothing is delivered until it is resumed");
        }
        DestinationState::Stopped { why } => {
            let (code, why) = (why.code(), why.message());
            tracing::error!(%destination, code, why, "nothing is delivered: a person is needed");
        }
    }
}
