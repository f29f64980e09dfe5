//! The database.

use std::sync::Arc;

use dipmo_config::model::store as model;
use dipmo_config::{Place, Problems};
use dipmo_domain::StoreError;
use dipmo_store::Tables;
use dipmo_store::admin::Operable;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_sqlite::{Durability, SqliteOptions, SqliteStore};

use super::asked::{set, size};
use super::problem::doubtful;

/// Which database, and how to behave in it.
#[derive(Clone, Debug)]
pub(super) struct StorePlan {
    pub(super) kind: Kind,
    /// Where the file names it.
    pub(super) place: Place,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Postgres(PostgresOptions),
    Sqlite(SqliteOptions),
    /// A file that has nothing but legs needs none.
    Absent,
}

/// The options of a store. `None` when the section names none, which its reader has said.
pub(super) fn plan(store: &model::Store, problems: &mut Problems) -> Option<StorePlan> {
    let model::Store {
        place: _,
        postgres,
        sqlite,
        pool,
        report_pool,
        idle_in_transaction,
        patience,
        notify,
        durability,
        max_pages,
    } = store;
    let for_postgres = [
        ("pool", pool.map(|it| it.place)),
        ("report_pool", report_pool.map(|it| it.place)),
        ("idle_in_transaction", idle_in_transaction.map(|it| it.place)),
        ("notify", notify.map(|it| it.place)),
    ];
    let for_sqlite = [
        ("durability", durability.map(|it| it.place)),
        ("max_pages", max_pages.map(|it| it.place)),
    ];
    let mut other = |of: &str, options: &[(&str, Option<Place>)]| {
        for (name, place) in options {
            if let Some(place) = place {
                doubtful(*place, format!("`{name}` is for {of}, and has no effect here"), problems);
            }
        }
    };
    if let Some(url) = postgres {
        other("SQLite", &for_sqlite);
        let mut options = PostgresOptions::new(url.expose());
        if let Some(pool) = pool {
            options.connections = size(pool.get());
        }
        if let Some(pool) = report_pool {
            options.report_connections = size(pool.get());
        }
        set(&mut options.idle_in_transaction, idle_in_transaction.as_ref());
        set(&mut options.patience, patience.as_ref());
        set(&mut options.notify, notify.as_ref());
        return Some(StorePlan { kind: Kind::Postgres(options), place: url.place() });
    }
    let path = sqlite.as_ref()?;
    other("PostgreSQL", &for_postgres);
    let mut options = SqliteOptions::new(&format!("sqlite:{}", path.expose()));
    set(&mut options.patience, patience.as_ref());
    if let Some(durability) = durability {
        options.durability = match durability.value {
            model::Durability::Full => Durability::Full,
            model::Durability::Normal => Durability::Normal,
        };
    }
    options.max_pages = max_pages.map(|pages| pages.get());
    Some(StorePlan { kind: Kind::Sqlite(options), place: path.place })
}

impl StorePlan {
    /// What it is, for people.
    pub(super) const fn name(&self) -> &'static str {
        match self.kind {
            Kind::Postgres(_) => "PostgreSQL",
            Kind::Sqlite(_) => "SQLite",
            Kind::Absent => "no database",
        }
    }

    /// How many may work at once, where that is limited.
    pub(super) const fn connections(&self) -> Option<usize> {
        match &self.kind {
            Kind::Postgres(options) => Some(options.connections),
            Kind::Sqlite(_) | Kind::Absent => None,
        }
    }

    /// All SQL that makes an empty database one that has these tables.
    pub(super) fn script(&self, tables: &Tables) -> String {
        match self.kind {
            Kind::Postgres(_) => PostgresStore::script(tables),
            Kind::Sqlite(_) => SqliteStore::script(tables),
            Kind::Absent => String::new(),
        }
    }

    /// Opens it once. Nothing is changed in a database that is there.
    pub(super) async fn open(&self) -> Result<Arc<dyn Operable>, StoreError> {
        Ok(match &self.kind {
            Kind::Postgres(options) => Arc::new(PostgresStore::connect(options).await?),
            Kind::Sqlite(options) => Arc::new(SqliteStore::open(options.clone()).await?),
            Kind::Absent => {
                let problem = "the file names no database".to_owned();
                return Err(StoreError::SchemaMissing { problem });
            }
        })
    }
}
