//! Stores in a folder, and a look past them.

use dipmo_store::Store as _;
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use dipmo_store_tests::suite_tables;

use crate::folder::Folder;

impl Folder {
    /// A store on the file, migrated.
    pub(crate) async fn store(&self) -> SqliteStore {
        self.store_with(SqliteOptions::new(&self.url())).await
    }

    /// The same, with options.
    pub(crate) async fn store_with(&self, options: SqliteOptions) -> SqliteStore {
        let store = SqliteStore::open(options).await.unwrap();
        store.migrate(&suite_tables()).await.unwrap();
        store
    }

    /// A connection past the store, as a person has.
    pub(crate) fn look(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).unwrap()
    }
}

/// One number that a person asks for.
pub(crate) fn number(look: &rusqlite::Connection, query: &str) -> i64 {
    look.query_row(query, [], |row| row.get(0)).unwrap()
}
