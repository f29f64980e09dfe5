//! What runs in one process: engine, sources and publishers, in the roles that were asked for.

use std::sync::Arc;

use dipmo_config::{Problem, Problems};
use dipmo_domain::{Code, Coded};
use dipmo_processing::health::Checkup;
use dipmo_processing::{Engine, InboxGauge, Metrics, Pulse};
use dipmo_source_kafka::{KafkaSource, SourceError};
use dipmo_store::Store;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::kafka_sink::KafkaSinkPlan;
use super::problem::{coded, missing};
use super::retention::Retention;
use super::{Pipeline, Role, Roles};
use crate::service::watch_source;

/// An instance that can run.
pub struct Instance {
    store: Arc<dyn Store>,
    engine: Engine,
    roles: Roles,
    gauge: InboxGauge,
    sources: Vec<(String, Arc<KafkaSource>)>,
    retention: Retention,
}

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
    pub fn instance(&self, store: &Arc<dyn Store>, roles: &Roles) -> Result<Instance, Problems> {
        let mut problems = Problems::default();
        let mut engine =
            Engine::new(Arc::clone(store), Arc::clone(&self.registry)).options(self.engine.clone());
        if roles.has(Role::Publish) {
            let kafka = self.kafka.as_ref().map(KafkaSinkPlan::publisher);
            if let Some(publisher) = taken(kafka, &mut problems) {
                engine = engine.publisher("KAFKA:*", publisher);
            }
            let salesforce = self.salesforce.as_ref();
            let salesforce = salesforce.map(|plan| plan.publisher(Arc::clone(store) as _));
            if let Some(publisher) = taken(salesforce, &mut problems) {
                engine = engine.publisher("HTTP:SFDC*", publisher);
            }
        }
        let gauge = InboxGauge::new(Arc::clone(store));
        let mut sources = Vec::new();
        for plan in self.sources.iter().filter(|_| roles.has(Role::Consume)) {
            let (options, inbound) = (plan.options.clone(), plan.inbound.clone());
            match KafkaSource::new(options, inbound, Arc::clone(store) as _) {
                Ok(source) => {
                    let source = Arc::new(source.load(gauge.load()));
                    sources.push((plan.name.clone(), source));
                }
                Err(error) => problems.push(coded(&error, plan.place)),
            }
        }
        if sources.is_empty() && roles.of_engine().is_empty() && !problems.any_error() {
            let message = "there is no source, and nothing else to do in the role `consume`";
            problems.push(missing(self.config.place, message));
        }
        if problems.any_error() {
            return Err(problems);
        }
        let (store, roles) = (Arc::clone(store), roles.clone());
        Ok(Instance { store, engine, roles, gauge, sources, retention: self.retention })
    }
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

    /// Its sources by name.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &Arc<KafkaSource>)> {
        self.sources.iter().map(|(name, source)| (name.as_str(), source))
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
        tokio::spawn(self.gauge.run(helpers.clone()));
        let checkup = Checkup::new(Arc::clone(&self.store), Arc::clone(&pulse));
        tokio::spawn(checkup.run(helpers.clone()));
        if self.roles.has(Role::Process) && !self.retention.is_for_ever() {
            tokio::spawn(self.retention.run(Arc::clone(&self.store), stop.clone()));
        }
        let mut parts = JoinSet::new();
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
}
