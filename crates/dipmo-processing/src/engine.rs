//! The engine: everything that runs on one store, in one instance.

use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_outbox::Publisher;
use dipmo_store::Store;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::dispatcher::{Dispatcher, EffectHandler, Services};
use crate::health::Pulse;
use crate::metrics::Metrics;
use crate::options::EngineOptions;
use crate::sampling::Sampling;
use crate::steering::Steering;
use crate::upkeep::Upkeep;
use crate::worker::{Pool, Rules};

/// Inbox workers, outbox dispatchers and upkeep on one store. Any number of engines, in any number
/// of processes, share a database.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use dipmo_processing::{Engine, EngineOptions};
/// # async fn run(store: Arc<dyn dipmo_store::Store>, registry: dipmo_api::Registry,
/// #     kafka: Arc<dyn dipmo_outbox::Publisher>) {
/// let engine = Engine::new(store, registry).publisher("KAFKA:*", kafka);
/// let stop = engine.stop_token();
/// let running = tokio::spawn(engine.run());
/// stop.cancel(); // when the program is to end
/// running.await; // everything that was begun has ended
/// # }
/// ```
pub struct Engine {
    store: Arc<dyn Store>,
    registry: Arc<Registry>,
    services: Services,
    options: EngineOptions,
    metrics: Arc<Metrics>,
    steering: Steering,
    stop: CancellationToken,
}

/// A part of an engine, where not all of it is to run in one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Inbox workers.
    Process,
    /// Outbox dispatchers.
    Publish,
    /// Timers, releases, months and the backlog. At least one instance must do this.
    Upkeep,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Process, Self::Publish, Self::Upkeep];

    /// Its name: `process`, `publish` or `upkeep`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Publish => "publish",
            Self::Upkeep => "upkeep",
        }
    }
}

impl Engine {
    /// An engine with default options. The store must have been migrated with the tables of the
    /// registry.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, registry: impl Into<Arc<Registry>>) -> Self {
        Self {
            store,
            registry: registry.into(),
            services: Services::default(),
            options: EngineOptions::default(),
            metrics: Arc::default(),
            steering: Steering::default(),
            stop: CancellationToken::new(),
        }
    }

    /// With options.
    #[must_use]
    pub fn options(mut self, options: EngineOptions) -> Self {
        self.options = options;
        self
    }

    /// Notes what it does where somebody looks already: a pulse may be older than the engine.
    #[must_use]
    pub fn noting(mut self, pulse: Arc<Pulse>) -> Self {
        self.metrics = Arc::new(Metrics::noting(pulse));
        self
    }

    /// Obeys operators who pause something.
    #[must_use]
    pub fn steered(mut self, steering: Steering) -> Self {
        self.steering = steering;
        self
    }

    /// Serves destinations: `pattern` is one of them, or its beginning and a `*`, such as
    /// `KAFKA:*`. The first that fits is taken.
    #[must_use]
    pub fn publisher(mut self, pattern: &str, publisher: Arc<dyn Publisher>) -> Self {
        self.services.add(pattern, publisher);
        self
    }

    /// Serves `INTERNAL:<name>` by a function instead of a process.
    #[must_use]
    pub fn effect_handler(mut self, name: &str, handler: impl EffectHandler + 'static) -> Self {
        self.services.handle(name, handler);
        self
    }

    /// The figures, which can be read while it runs.
    #[must_use]
    pub fn metrics(&self) -> Arc<Metrics> {
        Arc::clone(&self.metrics)
    }

    /// What it notes of itself while it runs, for [`judge`](crate::health::judge).
    #[must_use]
    pub fn pulse(&self) -> Arc<Pulse> {
        Arc::clone(self.metrics.pulse())
    }

    /// Cancelling this stops the engine: nothing new is begun, and what was begun is ended.
    #[must_use]
    pub fn stop_token(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Runs everything until it is stopped.
    pub async fn run(self) {
        self.run_roles(&Role::ALL).await;
    }

    /// Runs some roles until it is stopped.
    pub async fn run_roles(self, roles: &[Role]) {
        let mut random =
            self.options.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        let mut tasks = JoinSet::new();
        let pulse = self.metrics.pulse();
        if roles.contains(&Role::Process) {
            let rules = Rules {
                registry: self.registry,
                retry: self.options.worker.retry,
                unrouted: self.options.worker.unrouted,
                dead_letters: self.options.worker.dead_letters.clone(),
                forwards: self.options.worker.forwards.clone(),
            };
            let pool = Pool {
                store: Arc::clone(&self.store),
                rules: Arc::new(rules),
                metrics: Arc::clone(&self.metrics),
                options: self.options.worker,
                random: random.fork(),
                part: pulse.part(Role::Process.as_str()),
            };
            tasks.spawn(pool.run(self.stop.clone()));
        }
        if roles.contains(&Role::Publish) {
            let dispatcher = Dispatcher {
                store: Arc::clone(&self.store),
                services: self.services,
                options: self.options.dispatch.with_room(),
                steering: self.steering,
                metrics: Arc::clone(&self.metrics),
                random: random.fork(),
            };
            spawn(&mut tasks, pulse, Role::Publish, dispatcher.run(self.stop.clone()));
        }
        if roles.contains(&Role::Upkeep) {
            let upkeep = Upkeep {
                store: Arc::clone(&self.store),
                options: self.options.upkeep.clone(),
                metrics: Arc::clone(&self.metrics),
            };
            spawn(&mut tasks, pulse, Role::Upkeep, upkeep.run(self.stop.clone()));
            let sampling = Sampling {
                store: Arc::clone(&self.store),
                options: self.options.upkeep,
                metrics: Arc::clone(&self.metrics),
            };
            tasks.spawn(sampling.run(self.stop.clone()));
        }
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a part of the engine ended unexpectedly");
                self.stop.cancel();
            }
        }
    }
}

/// Runs a part as one task, which is missed once it ends.
fn spawn(
    tasks: &mut JoinSet<()>,
    pulse: &Arc<Pulse>,
    role: Role,
    part: impl Future<Output = ()> + Send + 'static,
) {
    let alive = pulse.part(role.as_str()).task();
    tasks.spawn(async move {
        let _alive = alive;
        part.await;
    });
}
