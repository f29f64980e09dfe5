//! A configuration as the options of everything that runs, checked, before anybody was asked.

use std::sync::Arc;

use dipmo_admin::Promises;
use dipmo_api::Registry;
use dipmo_archive::Policy;
use dipmo_config::model::config::Language;
use dipmo_config::model::destinations::Destinations;
use dipmo_config::problem::codes;
use dipmo_config::{Checked, Config, Declared, Files, Loaded, Place, Problem, Problems};
use dipmo_processing::EngineOptions;
use dipmo_store::Tables;

use super::admin::AdminPlan;
use super::http::HttpPlan;
use super::kafka::Clusters;
use super::kafka_sink::KafkaSinkPlan;
use super::legs::LegPlan;
use super::problem::doubtful;
use super::salesforce::SalesforcePlan;
use super::sources::SourcePlan;
use super::store::{Kind, StorePlan};
use super::{
    admin, engine, http, kafka_sink, legs, registry, retention, salesforce, served, slo, sources,
    store,
};

/// Everything that a configuration says, as its adapters want it.
pub struct Pipeline {
    pub(super) store: StorePlan,
    pub(super) sources: Vec<SourcePlan>,
    pub(super) http: Vec<HttpPlan>,
    pub(super) legs: Vec<LegPlan>,
    pub(super) kafka: Option<KafkaSinkPlan>,
    pub(super) salesforce: Option<SalesforcePlan>,
    pub(super) engine: EngineOptions,
    pub(super) retention: Policy,
    pub(super) slo: Option<Promises>,
    pub(super) admin: Option<AdminPlan>,
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
            legs: _,
            destinations,
            engine,
            retention,
            slo,
            admin,
        } = config;
        let store = match store {
            None if has_only_legs(config) => Some(StorePlan { kind: Kind::Absent, place: *place }),
            store => planned_store(store.as_ref(), *place, &mut problems),
        };
        let mut engine = engine::options(engine.as_ref(), &mut problems);
        engine.worker.forwards = http::forwards(sources);
        let clusters = Clusters::of(config, &mut problems);
        let http = http::plan(sources, files, &mut problems);
        let sources = sources::plan(sources, &clusters, &mut problems);
        let legs = legs::plan(config, &declared, &clusters, &mut problems);
        let kafka = destinations.as_ref().and_then(|Destinations { kafka, .. }| {
            let deadline = engine.dispatch.deadline;
            kafka_sink::plan(kafka.as_ref()?, &clusters, deadline, &mut problems)
        });
        let salesforce = destinations
            .as_ref()
            .and_then(|destinations| salesforce::plan(destinations, &declared, &mut problems));
        let retention = retention::plan(retention.as_ref(), &mut problems);
        let slo = slo.as_ref().and_then(|slo| slo::plan(slo, &mut problems));
        engine.dispatch.promised = slo.as_ref().and_then(slo::in_time);
        let admin = admin.as_ref().and_then(|admin| admin::plan(admin, &mut problems));
        let registry = declared.registry().ok();
        served::check(config, &mut problems);
        room(config, store.as_ref(), &engine, &mut problems);
        problems.sort();
        match (store, registry) {
            (Some(store), Some(registry)) if !problems.any_error() => Ok(Self {
                store,
                sources,
                http,
                legs,
                kafka,
                salesforce,
                engine,
                retention,
                slo,
                admin,
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

    /// False for a file that has nothing but legs: no database is opened then.
    #[must_use]
    pub const fn has_store(&self) -> bool {
        !matches!(self.store.kind, Kind::Absent)
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

/// True when nothing of a file needs a database: there are legs, and nothing that receives, decides or delivers.
fn has_only_legs(config: &Config) -> bool {
    let Config {
        place: _,
        dipmo: Language,
        store,
        kafka: _,
        sources,
        tables,
        queries,
        statements,
        processes,
        legs,
        destinations,
        engine,
        retention,
        slo,
        admin,
    } = config;
    let is_empty = sources.is_empty()
        && tables.is_empty()
        && queries.is_empty()
        && statements.is_empty()
        && processes.is_empty();
    let unkept = retention.is_none() && slo.is_none();
    let is_none = store.is_none() && destinations.is_none() && engine.is_none();
    !legs.is_empty() && is_empty && is_none && unkept && admin.is_none()
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
