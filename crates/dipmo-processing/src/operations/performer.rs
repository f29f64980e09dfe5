//! Who performs operations.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Backoff, StoreError};
use dipmo_store::admin::{Operable, Operation, OperationLease};
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::means::Means;
use super::options::OperationOptions;
use super::patience::Patience;
use super::performance::Performance;
use super::reparse::Redecode;
use super::setbacks::Setbacks;
use super::tidying::Tidying;
use crate::metrics::Metrics;

/// Rests while the store does not say whether there is an operation.
const RESTS: Backoff = Backoff::Exponential {
    first: Duration::from_millis(200),
    longest: Duration::from_secs(10),
    retries: u32::MAX,
};

/// Performs operations of operators. Any number of performers, in any number of instances, share them: each
/// is performed by whoever has its lease.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use dipmo_processing::operations::{Performer, Redecode};
/// # use tokio_util::sync::CancellationToken;
/// # async fn run(store: Arc<dyn dipmo_store::admin::Operable>, rules: Arc<dyn Redecode>) {
/// let stop = CancellationToken::new();
/// let performer = Performer::new(store, rules, "host-1".to_owned());
/// let running = tokio::spawn(performer.run(stop.clone()));
/// stop.cancel(); // when the program is to end
/// running.await; // what was begun has ended, and leases are given back
/// # }
/// ```
pub struct Performer {
    pub(super) means: Means,
    random: fastrand::Rng,
}

/// An operation that was in hand, and how it stands or why it could not be gone on with.
type Went = (OperationLease, Result<Operation, StoreError>);

impl Performer {
    /// With default options, under a name that no other instance has.
    #[must_use]
    pub fn new(store: Arc<dyn Operable>, decoder: Arc<dyn Redecode>, owner: String) -> Self {
        let (owner, metrics, options) = (owner.into(), Arc::default(), OperationOptions::default());
        let means = Means { store, decoder, owner, metrics, options };
        Self { means, random: fastrand::Rng::new() }
    }

    /// With options.
    #[must_use]
    pub fn options(mut self, options: OperationOptions) -> Self {
        self.random = options.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        self.means.options = options;
        self
    }

    /// Counts what it does where an engine counts: [`Engine::metrics`](crate::Engine::metrics).
    #[must_use]
    pub fn counting(mut self, metrics: Arc<Metrics>) -> Self {
        self.means.metrics = metrics;
        self
    }

    /// Performs whatever is to be performed until it is stopped, and keeps what operators look at tidy. At a
    /// stop each operation is given back after the batch in hand.
    pub async fn run(mut self, stop: CancellationToken) {
        let _alive = self.means.metrics.pulse().part("operations").task();
        let tidying = Tidying {
            store: Arc::clone(&self.means.store),
            metrics: Arc::clone(&self.means.metrics),
            random: self.random.fork(),
        };
        tokio::join!(self.perform(&stop), tidying.run(&stop));
    }

    async fn perform(&mut self, stop: &CancellationToken) {
        let (mut out, mut setbacks, mut errors) = (JoinSet::new(), Setbacks::default(), 0);
        while !stop.is_cancelled() {
            let pause = match self.look(&mut out, stop).await {
                Ok(()) => {
                    errors = 0;
                    self.poll()
                }
                Err(error) => {
                    self.means.metrics.store_failed("take_operation", &error);
                    let rest = RESTS.delay(errors, self.random.u64(..));
                    errors = errors.saturating_add(1);
                    rest.unwrap_or(self.means.options.poll)
                }
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                Some(went) = out.join_next() => self.ended(went, &mut setbacks, stop).await,
                () = sleep(pause) => {}
            }
        }
        while let Some(went) = out.join_next().await {
            self.ended(went, &mut setbacks, stop).await;
        }
    }

    /// Takes what there is to be taken, and there is room for.
    async fn look(
        &mut self,
        out: &mut JoinSet<Went>,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        while out.len() < self.means.options.at_once.max(1) && !stop.is_cancelled() {
            let taken = self.means.take(None).await?;
            self.means.metrics.pulse().answered();
            let Some(lease) = taken else { break };
            let (means, patience) = (self.means.clone(), self.patience(stop));
            let mut performance = Performance { means, lease, patience };
            out.spawn(async move {
                let went = performance.run(|_| {}).await;
                (performance.lease, went)
            });
        }
        Ok(())
    }

    /// What could not be gone on with keeps its lease for as long as it rests: others are taken meanwhile,
    /// and no other instance meets the same at once.
    async fn ended(
        &self,
        went: Result<Went, JoinError>,
        setbacks: &mut Setbacks,
        stop: &CancellationToken,
    ) {
        let (lease, went) = match went {
            Ok(went) => went,
            Err(error) => {
                tracing::error!(%error, "a performance ended unexpectedly: its lease runs out");
                return;
            }
        };
        let id = lease.operation.id;
        match went {
            // Who was fenced may have met a pause: then the lease is still there.
            Ok(_) | Err(StoreError::Fenced { .. }) => {
                setbacks.over(id);
                self.means.give_back(&lease).await;
            }
            // Nobody waited for the trouble to go.
            Err(error) if error.is_transient() && stop.is_cancelled() => {
                self.means.give_back(&lease).await;
            }
            Err(error) => {
                let rest = setbacks.met(id, &error);
                self.means.metrics.operations(|figures| figures.set_back += 1);
                if let Err(error) = self.means.store.renew_operation(&lease, rest).await {
                    self.means.metrics.store_failed("renew_operation", &error);
                }
            }
        }
    }

    fn poll(&mut self) -> Duration {
        let poll = self.means.options.poll;
        poll + poll.mul_f64(self.random.f64())
    }

    pub(super) fn patience(&mut self, stop: &CancellationToken) -> Patience {
        let (metrics, random) = (Arc::clone(&self.means.metrics), self.random.fork());
        Patience { metrics, random, stop: stop.clone() }
    }
}
