//! A configuration as the options of everything that runs, checked, before anybody was asked.

use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_config::model::config::Language;
use dipmo_config::model::destinations::Destinations;
use dipmo_config::problem::codes;
use dipmo_config::{Checked, Config, Declared, Files, Loaded, Place, Problem, Problems};
use dipmo_processing::EngineOptions;
use dipmo_store::Tables;

use super::kafka::Clusters;
use super::kafka_sink::KafkaSinkPlan;
use super::problem::doubtful;
use super::retention::Retention;
use super::salesforce::SalesforcePlan;
use super::sources::SourcePlan;
use super::store::StorePlan;
use super::{engine, kafka_sink, registry, retention, salesforce, served, sources, store};

/// Everything that a configuration says, as its adapters want it.
pub struct Pipeline {
    pub(super) store: StorePlan,
    pub(super) sources: Vec<SourcePlan>,
    pub(super) kafka: Option<KafkaSinkPlan>,
    pub(super) salesforce: Option<SalesforcePlan>,
    pub(super) engine: EngineOptions,
    pub(super) retention: Retention,
    pub(super) registry: Arc<Registry>,
    pub(super) tables: Tables,
    pub(super) declared: Declared,
    pub(super) config: Config,
    pub(super) files: Files,
    warnings: Problems,
}

impl Pipeline {
    /// Puts together what a configuration says. Nobody is asked for anything.
    ///
    /// # Errors
    /// All that is wrong, warnings included, each at its place in the files of `loaded`.
    pub fn assemble(loaded: &Loaded) -> Result<Self, Problems> {
        let Loaded { config, files, warnings: _ } = loaded;
        let Checked { declared, mut problems } = loaded.check();
        // What is wrong by itself is said by those who say it best, and once.
        if problems.any_error() {
            return Err(problems);
        }
        let Config {
            place,
            dipmo: Language,
            store,
            kafka: _,
            sources,
            tables: _,
            queries: _,
            statements: _,
            processes: _,
            destinations,
            engine,
            retention,
        } = config;
        let store = planned_store(store.as_ref(), *place, &mut problems);
        let engine = engine::options(engine.as_ref(), &mut problems);
        let clusters = Clusters::of(config, &mut problems);
        let sources = sources::plan(sources, &clusters, &mut problems);
        let kafka = destinations.as_ref().and_then(|Destinations { kafka, .. }| {
            let deadline = engine.dispatch.deadline;
            kafka_sink::plan(kafka.as_ref()?, &clusters, deadline, &mut problems)
        });
        let salesforce = destinations
            .as_ref()
            .and_then(|destinations| salesforce::plan(destinations, &declared, &mut problems));
        let retention = retention::plan(retention.as_ref(), &mut problems);
        let registry = declared.registry().ok();
        served::check(config, &mut problems);
        room(config, store.as_ref(), &engine, &mut problems);
        problems.sort();
        match (store, registry) {
            (Some(store), Some(registry)) if !problems.any_error() => Ok(Self {
                store,
                sources,
                kafka,
                salesforce,
                engine,
                retention,
                tables: registry::tables(&registry, &declared),
                registry: Arc::new(registry),
                declared,
                config: config.clone(),
                files: files.clone(),
                warnings: problems,
            }),
            _ => Err(problems),
        }
    }

    /// What can be meant so, and is likely not.
    #[must_use]
    pub const fn warnings(&self) -> &Problems {
        &self.warnings
    }

    /// The files, for places.
    #[must_use]
    pub const fn files(&self) -> &Files {
        &self.files
    }

    /// All SQL that makes an empty database one that this pipeline runs on, for whoever applies it by hand.
    #[must_use]
    pub fn script(&self) -> String {
        self.store.script(&self.tables)
    }

    /// The tables that the processes and mappings need.
    #[must_use]
    pub const fn tables(&self) -> &Tables {
        &self.tables
    }
}

/// Each worker holds a connection while it works: sources and couriers need some as well.
fn room(
    config: &Config,
    store: Option<&StorePlan>,
    engine: &EngineOptions,
    problems: &mut Problems,
) {
    let Some(connections) = store.and_then(StorePlan::connections) else { return };
    let (workers, pool) = (config.engine.iter().find_map(|it| it.workers.as_ref()), &config.store);
    let max = workers.and_then(|it| it.max).map(|it| it.place);
    let pool = pool.as_ref().and_then(|it| it.pool).map(|it| it.place);
    if let (true, Some(place)) = (engine.worker.max >= connections, max.or(pool)) {
        let message = format!(
            "{} workers leave no room in a pool of {connections} connections",
            engine.worker.max
        );
        doubtful(place, message, problems);
    }
}

fn planned_store(
    store: Option<&dipmo_config::model::store::Store>,
    place: Place,
    problems: &mut Problems,
) -> Option<StorePlan> {
    match store {
        Some(store) => store::plan(store, problems),
        None => {
            let message = "there is no `store`: everything is kept in a database";
            let hint = "add `store: {postgres: \"${env:DATABASE_URL}\"}`, or `store: {sqlite: ./dipmo.db}`";
            problems.push(Problem::error(codes::MISSING_KEY, place, message).hint(hint));
            None
        }
    }
}
