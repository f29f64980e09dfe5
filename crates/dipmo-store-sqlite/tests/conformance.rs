//! The conformance suite on SQLite: each test in a file of its own.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

mod folder;

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_store::Store;
use dipmo_store::admin::Operable;
use dipmo_store_sqlite::rusqlite::{self, Connection};
use dipmo_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use dipmo_store_tests::{Fixture, OperableFixture, suite_tables};
use folder::Folder;

struct SqliteFixture {
    store: SqliteStore,
    folder: Folder,
}

async fn open(folder: &Folder) -> SqliteStore {
    // Nothing here loses power; the tests of crashes have the default.
    let durability = Durability::Normal;
    let options = SqliteOptions { durability, ..SqliteOptions::new(&folder.url()) };
    SqliteStore::open(options).await.unwrap()
}

#[async_trait]
impl Fixture for SqliteFixture {
    async fn fresh() -> Self {
        let fixture = Self::empty().await;
        fixture.store.migrate(&suite_tables()).await.unwrap();
        fixture
    }

    async fn empty() -> Self {
        let folder = Folder::new();
        assert!(!folder.file().exists(), "the folder is new");
        Self { store: open(&folder).await, folder }
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.store.clone())
    }

    async fn another(&self) -> Arc<dyn Store> {
        Arc::new(self.other().await)
    }
}

impl SqliteFixture {
    /// Another store on the same file.
    async fn other(&self) -> SqliteStore {
        let store = open(&self.folder).await;
        store.migrate(&suite_tables()).await.unwrap();
        store
    }
}

#[async_trait]
impl OperableFixture for SqliteFixture {
    fn operable(&self) -> Arc<dyn Operable> {
        Arc::new(self.store.clone())
    }

    async fn another_operable(&self) -> Arc<dyn Operable> {
        Arc::new(self.other().await)
    }

    async fn by_hand(&self, sql: &str) -> Result<(), String> {
        let connection = Connection::open(self.folder.file()).unwrap();
        connection.execute_batch(sql).map_err(|error| error.to_string())
    }

    async fn dump(&self) -> Vec<(String, String)> {
        let connection = Connection::open(self.folder.file()).unwrap();
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1";
        let mut tables = connection.prepare(tables).unwrap();
        let tables: Vec<String> =
            tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let mut rows = Vec::new();
        for table in tables {
            let mut all = connection.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
            let columns = all.column_count();
            let row = |row: &rusqlite::Row<'_>| {
                let values = (0..columns).map(|at| row.get::<_, rusqlite::types::Value>(at));
                Ok(format!("{:?}", values.collect::<Result<Vec<_>, _>>()?))
            };
            let found = all.query_map([], row).unwrap().map(Result::unwrap);
            rows.extend(found.map(|row| (table.to_lowercase(), row)));
        }
        rows.sort();
        rows
    }
}

dipmo_store_tests::conformance!(SqliteFixture, single_writer, in_process);
dipmo_store_tests::operable_conformance!(SqliteFixture);
