//! Where a test takes place: a database of its own, on PostgreSQL or on SQLite, with a look past
//! the store.

use std::sync::Arc;
use std::time::Duration;

use dipmo_store::{Store, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use tokio_postgres::SimpleQueryMessage;

use super::engine::registry;
use super::folder::Folder;
use super::postgres::Database;

/// A session that stands still inside a batch is ended after this. Short, so that others take
/// over within a test; long for a machine that has other things to do.
pub(crate) const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(2);

/// Nothing here takes so long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

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

    /// Asks for rows, as a person would.
    pub(crate) async fn rows(&self, query: &str) -> Vec<Vec<String>> {
        match self {
            Self::Postgres(database) => {
                let answers = database.client().await.simple_query(query).await.unwrap();
                let rows = answers.iter().filter_map(|answer| match answer {
                    SimpleQueryMessage::Row(row) => Some(row),
                    _ => None,
                });
                let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
                rows.map(|row| (0..row.len()).map(|at| text(row.get(at))).collect()).collect()
            }
            Self::Sqlite(folder) => sqlite_rows(folder, query),
        }
    }

    /// Changes something, as a person would.
    pub(crate) async fn execute(&self, statements: &str) {
        match self {
            Self::Postgres(database) => {
                database.client().await.batch_execute(statements).await.unwrap();
            }
            Self::Sqlite(folder) => connection(folder).execute_batch(statements).unwrap(),
        }
    }

    /// Waits until a query finds nothing any more.
    pub(crate) async fn until_none(&self, what: &str, query: &str) {
        let none = async {
            while !self.rows(query).await.is_empty() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        if tokio::time::timeout(PATIENCE, none).await.is_err() {
            panic!("still {what}: {:?}", self.rows(query).await);
        }
    }
}

/// A store on a URL, migrated.
pub(crate) async fn open(url: &str) -> Arc<dyn Store> {
    let store: Arc<dyn Store> = if url.starts_with("sqlite:") {
        let durability = Durability::Normal;
        let options = SqliteOptions { durability, ..SqliteOptions::new(url) };
        Arc::new(SqliteStore::open(options).await.unwrap())
    } else {
        let idle_in_transaction = IDLE_IN_TRANSACTION;
        let options = PostgresOptions { idle_in_transaction, ..PostgresOptions::new(url) };
        Arc::new(PostgresStore::connect(&options).await.unwrap())
    };
    store.migrate(&Tables::of(&registry())).await.unwrap();
    store
}

fn connection(folder: &Folder) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(folder.file("dipmo.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(30)).unwrap();
    connection
}

fn sqlite_rows(folder: &Folder, query: &str) -> Vec<Vec<String>> {
    use rusqlite::types::Value;
    let connection = connection(folder);
    let mut statement = connection.prepare(query).unwrap();
    let columns = statement.column_count();
    let text = |value| match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => String::from_utf8(bytes).unwrap(),
    };
    let rows =
        statement.query_map([], |row| (0..columns).map(|at| row.get(at).map(text)).collect());
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}
