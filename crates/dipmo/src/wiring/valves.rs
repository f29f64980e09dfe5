//! Does to the orgs of Salesforce what operators say about breakers and rates.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Destination, Timestamp};
use dipmo_processing::{Orders, Steering};
use dipmo_sink_salesforce::{
    RateOptions, RateView, ResilienceError, ResilienceHandle, SalesforcePublisher, Target,
};
use dipmo_store::admin::Setting;
use tokio_util::sync::CancellationToken;

use super::salesforce::DEFAULT_ORG;

/// The breakers and rates of a publisher, in the hands of operators.
pub(super) struct Valves {
    handle: ResilienceHandle,
    steering: Steering,
    /// The rates of the file, to come back to.
    rates: BTreeMap<Target, RateOptions>,
    /// What was done last.
    done: Wanted,
}

/// What operators want of each object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// Calls a second; of several words about one object the lowest.
    rates: BTreeMap<Target, u32>,
    /// Open or closed, and since when; of several words the last.
    breakers: BTreeMap<Target, (Timestamp, bool)>,
}

impl Valves {
    /// Of a publisher.
    pub(super) fn new(publisher: &Arc<SalesforcePublisher>, steering: Steering) -> Self {
        let handle = publisher.resilience();
        let levels = handle.view().orgs.into_iter().flat_map(|org| org.objects);
        let rates = levels.map(|level| (level.target, of_file(&level.rate))).collect();
        Self { handle, steering, rates, done: Wanted::default() }
    }

    /// Obeys whatever changes until it is stopped.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = self.steering.changed() => self.obey(),
            }
        }
    }

    /// Does what is wanted now and was not done yet; for the first time before anything is sent.
    pub(super) fn obey(&mut self) {
        let wanted = Wanted::of(&self.steering.orders());
        for (target, file) in &self.rates {
            let (before, now) = (self.done.rates.get(target), wanted.rates.get(target));
            if before != now {
                let rate = now.map_or(*file, |calls| by_hand(*calls, file));
                tell(target, self.handle.set_rate(target, rate), "rate");
            }
            let (before, now) = (self.done.breakers.get(target), wanted.breakers.get(target));
            if before == now {
                continue;
            }
            let done = match now {
                Some((_, true)) => self.handle.open_breaker(target),
                Some((_, false)) | None => self.handle.close_breaker(target),
            };
            tell(target, done, "breaker");
        }
        self.done = wanted;
    }
}

impl Wanted {
    fn of(orders: &Orders) -> Self {
        let mut wanted = Self::default();
        for control in orders.others() {
            let Some(target) = target(&control.of.name) else { continue };
            match control.setting {
                Setting::Paused => {}
                Setting::Rate(calls) => {
                    let known = wanted.rates.entry(target).or_insert(calls);
                    *known = calls.min(*known);
                }
                Setting::Breaker { open } => {
                    let known = wanted.breakers.entry(target).or_insert((control.since, open));
                    *known = (control.since, open).max(*known);
                }
            }
        }
        wanted
    }
}

fn tell(target: &Target, done: Result<(), ResilienceError>, what: &str) {
    match done {
        Ok(()) => tracing::info!(%target, what, "an operator changed it"),
        Err(error) => {
            tracing::error!(%target, what, %error, "what an operator wants cannot be");
        }
    }
}

/// The object that a destination is of; every API of it shares one breaker and one rate.
fn target(destination: &str) -> Option<Target> {
    match destination.parse().ok()? {
        Destination::Salesforce { org, object, .. } => {
            Some(Target::object(org.as_deref().unwrap_or(DEFAULT_ORG), &object))
        }
        _ => None,
    }
}

fn of_file(rate: &RateView) -> RateOptions {
    RateOptions {
        calls: rate.calls,
        period: Duration::from_millis(rate.period_ms),
        max_wait: Duration::from_millis(rate.max_wait_ms),
    }
}

fn by_hand(calls: u32, file: &RateOptions) -> RateOptions {
    RateOptions { calls, period: Duration::from_secs(1), max_wait: file.max_wait }
}
