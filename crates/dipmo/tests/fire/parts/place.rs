//! Where a test takes place: a database of its own, on PostgreSQL or on SQLite.

use std::sync::Arc;
use std::time::Duration;

use dipmo_api::Registry;
use dipmo_store::{Store, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_sqlite::{Durability, SqliteOptions, SqliteStore};

use super::engine::registry;
use super::folder::Folder;
use super::look::Look;
use super::postgres::Database;

/// A session that stands still inside a batch is ended after this. Short, so that others take
/// over within a test; long for a machine that has other things to do.
pub(crate) const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(2);

pub(crate) enum Place {
    Postgres(Database),
    Sqlite(Folder),
}

impl Place {
    /// A database with the tables of the processes.
    pub(crate) async fn postgres() -> Self {
        let place = Self::Postgres(Database::create().await);
        place.store().await;
        place
    }

    /// The same for other processes.
    pub(crate) async fn postgres_of(registry: &Registry) -> Self {
        let place = Self::Postgres(Database::create().await);
        place.store_of(registry).await;
        place
    }

    /// The same in a file.
    pub(crate) async fn sqlite() -> Self {
        let place = Self::Sqlite(Folder::new());
        place.store().await;
        place
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::Postgres(database) => database.url(),
            Self::Sqlite(folder) => format!("sqlite:{}", folder.file("dipmo.db").display()),
        }
    }

    /// A store of its own, as another instance would have.
    pub(crate) async fn store(&self) -> Arc<dyn Store> {
        open(&self.url()).await
    }

    /// The same for other processes.
    pub(crate) async fn store_of(&self, registry: &Registry) -> Arc<dyn Store> {
        open_for(&self.url(), registry).await
    }

    /// A look past the store.
    pub(crate) async fn look(&self) -> Look {
        match self {
            Self::Postgres(database) => Look::Postgres(database.client().await),
            Self::Sqlite(folder) => Look::sqlite(&folder.file("dipmo.db")),
        }
    }

    /// Asks for rows once.
    pub(crate) async fn rows(&self, query: &str) -> Vec<Vec<String>> {
        self.look().await.rows(query).await
    }
}

/// A store on a URL, migrated.
pub(crate) async fn open(url: &str) -> Arc<dyn Store> {
    open_for(url, &registry()).await
}

/// The same for other processes.
pub(crate) async fn open_for(url: &str, registry: &Registry) -> Arc<dyn Store> {
    let store: Arc<dyn Store> = if url.starts_with("sqlite:") {
        let durability = Durability::Normal;
        let options = SqliteOptions { durability, ..SqliteOptions::new(url) };
        Arc::new(SqliteStore::open(options).await.unwrap())
    } else {
        let idle_in_transaction = IDLE_IN_TRANSACTION;
        let options = PostgresOptions { idle_in_transaction, ..PostgresOptions::new(url) };
        Arc::new(PostgresStore::connect(&options).await.unwrap())
    };
    store.migrate(&Tables::of(registry)).await.unwrap();
    store
}
