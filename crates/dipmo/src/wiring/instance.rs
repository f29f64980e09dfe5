//! What runs in one process: engine, sources and publishers, in the roles that were asked for.

use std::sync::Arc;

use dipmo_admin::ServerError;
use dipmo_archive::Keeper;
use dipmo_config::{Problem, Problems};
use dipmo_domain::{Code, Coded};
use dipmo_inbox::Hold;
use dipmo_leg_kafka::LegError;
use dipmo_processing::health::Checkup;
use dipmo_processing::{Engine, Helm, InboxGauge, Metrics, Pulse};
use dipmo_source_http::HttpSource;
use dipmo_source_kafka::{KafkaSource, SourceError};
use dipmo_store::Store;
use dipmo_store::admin::{Operable, Steered};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::kafka_sink::KafkaSinkPlan;
use super::listening::Listening;
use super::operators::Operators;
use super::problem::{coded, missing};
use super::telling::Telling;
use super::valves::Valves;
use super::{Legs, Pipeline, Role, Roles, retention};
use crate::service::{Health, watch_source};

/// An instance that can run.
pub struct Instance {
    store: Arc<dyn Store>,
    engine: Engine,
    roles: Roles,
    gauge: InboxGauge,
    helm: Helm,
    valves: Option<Valves>,
    sources: Vec<(String, Arc<KafkaSource>)>,
    http: Listening,
    legs: Legs,
    keeper: Option<Keeper>,
    operators: Operators,
}

/// A part that ended: its name, and why.
pub(super) type Part = (String, Result<(), RunError>);

/// Why an instance ended before it was stopped.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A source cannot read as it is configured.
    #[error("the source {name:?} cannot run: {error}")]
    Source {
        /// The name of the source.
        name: String,
        /// What it says.
        error: SourceError,
    },
    /// A source over HTTP cannot listen as it is configured.
    #[error("the source {name:?} cannot run: {error}")]
    Http {
        /// The name of the source.
        name: String,
        /// What it says.
        error: dipmo_source_http::SourceError,
    },
    /// A leg cannot run as it is configured.
    #[error("the leg {name:?} cannot run: {error}")]
    Leg {
        /// The name of the leg.
        name: String,
        /// What it says.
        error: LegError,
    },
    /// Operators cannot be let in where the file says.
    #[error("the admin cannot run: {0}")]
    Admin(ServerError),
    /// The certificate of the admin cannot be used.
    #[error("the admin cannot run: {0}")]
    AdminTls(dipmo_source_http::SourceError),
    /// A part ended that should run for ever.
    #[error("{part} ended by itself")]
    Ended {
        /// The part.
        part: String,
    },
}

impl Coded for RunError {
    fn code(&self) -> Code {
        match self {
            Self::Source { error, .. } => error.code(),
            Self::Http { error, .. } => error.code(),
            Self::Leg { error, .. } => error.code(),
            Self::Admin(error) => error.code(),
            Self::AdminTls(error) => error.code(),
            Self::Ended { .. } => Code::new("instance-ended"),
        }
    }
}

impl Pipeline {
    /// What runs on a store, in these roles. Nothing runs yet; the store was opened by
    /// [`open`](Self::open).
    ///
    /// # Errors
    /// What a publisher or a source says when it is made.
    pub fn instance(
        &self,
        operable: &Arc<dyn Operable>,
        roles: &Roles,
    ) -> Result<Instance, Problems> {
        let store = &(Arc::clone(operable) as Arc<dyn Store>);
        let mut problems = Problems::default();
        let helm = Helm::new(Arc::clone(operable) as _);
        let mut engine = Engine::new(Arc::clone(store), Arc::clone(&self.registry))
            .options(self.engine.clone())
            .steered(helm.steering());
        let mut valves = None;
        if roles.has(Role::Publish) {
            let kafka = self.kafka.as_ref().map(KafkaSinkPlan::publisher);
            if let Some(publisher) = taken(kafka, &mut problems) {
                engine = engine.publisher("KAFKA:*", publisher);
            }
            let salesforce = self.salesforce.as_ref();
            let salesforce = salesforce.map(|plan| plan.publisher(Arc::clone(store) as _));
            if let Some(publisher) = taken(salesforce, &mut problems) {
                valves = Some(Valves::new(&publisher, helm.steering()));
                engine = engine.publisher("HTTP:SFDC*", publisher);
            }
        }
        let gauge = InboxGauge::new(Arc::clone(store));
        let mut sources = Vec::new();
        for plan in self.sources.iter().filter(|_| roles.has(Role::Consume)) {
            let (options, inbound) = (plan.options.clone(), plan.inbound.clone());
            match KafkaSource::new(options, inbound, Arc::clone(store) as _) {
                Ok(source) => {
                    let source = source.load(gauge.load()).held(hold(&helm, &plan.name));
                    sources.push((plan.name.clone(), Arc::new(source)));
                }
                Err(error) => problems.push(coded(&error, plan.place)),
            }
        }
        let http = self.listening(store, roles, (&gauge, &helm), &mut problems);
        let legs = self.legs(roles)?;
        let idle = sources.is_empty()
            && http.is_empty()
            && legs.is_empty()
            && roles.of_engine().is_empty();
        if idle && !problems.any_error() {
            let message = "there is no source, and nothing else to do in the role `consume`";
            problems.push(missing(self.config.place, message));
        }
        if problems.any_error() {
            return Err(problems);
        }
        let operators = self.operators(operable, roles);
        let keeps = roles.has(Role::Process);
        let kept = keeps.then(|| self.retention.clone());
        let keeper = kept.and_then(|it| retention::keeper(it, operable, operators.name()));
        let (store, roles) = (Arc::clone(store), roles.clone());
        Ok(Instance {
            store,
            engine,
            roles,
            gauge,
            helm,
            valves,
            sources,
            http,
            legs,
            keeper,
            operators,
        })
    }
}

/// Whether operators hold a source back.
pub(super) fn hold(helm: &Helm, source: &str) -> Hold {
    let (steering, source) = (helm.steering(), source.to_owned());
    Hold::new(move || steering.paused(Steered::Source, &source))
}

/// What was made, if it was to be made and nothing is wrong with it.
fn taken<T>(made: Option<Result<T, Box<Problem>>>, problems: &mut Problems) -> Option<T> {
    made?.map_err(|problem| problems.push(*problem)).ok()
}

impl Instance {
    /// The figures of its engine.
    #[must_use]
    pub fn metrics(&self) -> Arc<Metrics> {
        self.engine.metrics()
    }

    /// What it notes of itself while it runs, for health.
    #[must_use]
    pub fn pulse(&self) -> Arc<Pulse> {
        self.engine.pulse()
    }

    /// Notes it where somebody looks already.
    #[must_use]
    pub fn noting(mut self, pulse: Arc<Pulse>) -> Self {
        self.engine = self.engine.noting(pulse);
        self
    }

    /// Its sources by name.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &Arc<KafkaSource>)> {
        self.sources.iter().map(|(name, source)| (name.as_str(), source))
    }

    /// Its sources over HTTP by name.
    pub fn http(&self) -> impl Iterator<Item = (&str, &Arc<HttpSource>)> {
        self.http.sources()
    }

    /// Runs until it is stopped: sources store what they have read and leave their groups, workers and
    /// couriers end what they have begun and give their leases back.
    ///
    /// # Errors
    /// When a part ends that should not have; the others are stopped then.
    pub async fn run(self, stop: CancellationToken) -> Result<(), RunError> {
        let pulse = self.pulse();
        // Whoever helps the others ends last: a source that stores its rest still has its gauge.
        let helpers = CancellationToken::new();
        let _helpers_end = helpers.clone().drop_guard();
        // Nothing is taken before it is known what is not to be taken.
        self.helm.first(&stop).await;
        if let Some(mut valves) = self.valves {
            valves.obey();
            tokio::spawn(valves.run(helpers.clone()));
        }
        tokio::spawn(self.helm.run(helpers.clone()));
        tokio::spawn(self.gauge.run(helpers.clone()));
        let checkup = Checkup::new(Arc::clone(&self.store), Arc::clone(&pulse));
        tokio::spawn(checkup.run(helpers.clone()));
        let mut parts = JoinSet::new();
        if let Some(keeper) = self.keeper {
            let stop = stop.clone();
            parts.spawn(async move {
                keeper.run(stop).await;
                ("who keeps history".to_owned(), Ok(()))
            });
        }
        let metrics = self.engine.metrics();
        let kafka = self.sources.iter().map(|(_, source)| source.metrics()).collect();
        let http = self.http.sources().map(|(_, source)| source.metrics()).collect();
        let health = Health::new(Arc::clone(&pulse));
        let telling = Telling::new(health, Arc::clone(&metrics), kafka, http);
        let present = self.operators.start(&mut parts, (telling, &metrics), &stop);
        let played = self.roles.of_engine();
        if !played.is_empty() {
            let (engine, token) = (self.engine, stop.clone());
            parts.spawn(async move {
                let engine_stop = engine.stop_token();
                let told = tokio::spawn(async move {
                    token.cancelled().await;
                    engine_stop.cancel();
                });
                engine.run_roles(&played).await;
                told.abort();
                ("the engine".to_owned(), Ok(()))
            });
        }
        for (name, source) in self.sources {
            let part = pulse.part(&format!("source {name}"));
            tokio::spawn(watch_source(Arc::clone(&source), part.clone(), helpers.clone()));
            let stop = stop.clone();
            parts.spawn(async move {
                let _alive = part.task();
                let read = source.run(stop).await;
                let read = read.map_err(|error| RunError::Source { name: name.clone(), error });
                (format!("the source {name:?}"), read)
            });
        }
        self.http.start(&mut parts, &pulse, &stop, &helpers);
        self.legs.start(&mut parts, &pulse, &stop, &helpers);
        let ended = until_all_ended(parts, &stop).await;
        present.leave().await;
        ended
    }
}

/// Waits for all parts. When one ends that should not have, the others are stopped.
pub(super) async fn until_all_ended(
    mut parts: JoinSet<Part>,
    stop: &CancellationToken,
) -> Result<(), RunError> {
    let mut ended = Ok(());
    while let Some(joined) = parts.join_next().await {
        let outcome = match joined {
            Ok((_, Err(error))) => Err(error),
            Ok((part, Ok(()))) if !stop.is_cancelled() => Err(RunError::Ended { part }),
            Ok(_) => Ok(()),
            Err(error) => Err(RunError::Ended { part: error.to_string() }),
        };
        if outcome.is_err() {
            stop.cancel();
        }
        ended = ended.and(outcome);
    }
    ended
}
