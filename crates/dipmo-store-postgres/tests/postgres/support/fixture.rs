//! The fixture of the conformance suite, for any version of the server.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_store::Store;
use dipmo_store::admin::Operable;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::{Fixture, OperableFixture, suite_tables};
use tokio::sync::OnceCell;
use tokio_postgres::Client;

use super::database::Database;
use super::server::Server;

/// Short, so that a stopped batch loses its session within a test.
const STOPPED_AFTER: Duration = Duration::from_secs(2);

/// A database on the server of a version, and the store on it.
pub(crate) struct Postgres<const VERSION: u16> {
    store: Arc<PostgresStore>,
    database: Database,
}

impl<const VERSION: u16> Postgres<VERSION> {
    /// A plain connection of the test's own.
    pub(crate) async fn client(&self) -> Client {
        self.database.client().await
    }

    /// The URL of its database.
    pub(crate) fn url(&self) -> String {
        self.database.url()
    }

    async fn on(database: Database, options: PostgresOptions) -> Self {
        let store = Arc::new(PostgresStore::connect(&options).await.unwrap());
        Self { store, database }
    }

    /// A copy of a database that was migrated once: copying is faster than making 30 tables.
    async fn copied(change: impl FnOnce(PostgresOptions) -> PostgresOptions) -> Self {
        static TEMPLATES: [OnceCell<Database>; 2] = [const { OnceCell::const_new() }; 2];
        let server = Server(VERSION);
        let template = TEMPLATES[usize::from(VERSION > 15)].get_or_init(|| async {
            let database = Database::create(server).await;
            open(&database).await.migrate(&suite_tables()).await.unwrap();
            database.disconnect_all().await;
            database
        });
        let database = Database::create_like(server, template.await.name()).await;
        let options = change(PostgresOptions::new(&database.url()));
        let fixture = Self::on(database, options).await;
        // The store learns its tables; there is nothing left to make.
        fixture.store.migrate(&suite_tables()).await.unwrap();
        fixture
    }
}

#[async_trait]
impl<const VERSION: u16> Fixture for Postgres<VERSION> {
    async fn fresh() -> Self {
        Self::copied(|options| options).await
    }

    async fn impatient() -> Self {
        Self::copied(|options| PostgresOptions { idle_in_transaction: STOPPED_AFTER, ..options })
            .await
    }

    async fn empty() -> Self {
        let database = Database::create(Server(VERSION)).await;
        let options = PostgresOptions::new(&database.url());
        Self::on(database, options).await
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store) as Arc<dyn Store>
    }

    async fn another(&self) -> Arc<dyn Store> {
        let store = open(&self.database).await;
        store.migrate(&suite_tables()).await.unwrap();
        Arc::new(store)
    }

    async fn kill_claimers(&self) {
        let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                    where datname = current_database() and pid <> pg_backend_pid() \
                    and state like 'idle in transaction%'";
        self.client().await.query(kill, &[]).await.unwrap();
    }

    fn stopped_after() -> Duration {
        STOPPED_AFTER
    }
}

#[async_trait]
impl<const VERSION: u16> OperableFixture for Postgres<VERSION> {
    fn operable(&self) -> Arc<dyn Operable> {
        Arc::clone(&self.store) as Arc<dyn Operable>
    }

    async fn another_operable(&self) -> Arc<dyn Operable> {
        let store = open(&self.database).await;
        store.migrate(&suite_tables()).await.unwrap();
        Arc::new(store)
    }

    async fn by_hand(&self, sql: &str) -> Result<(), String> {
        let ran = self.client().await.batch_execute(sql).await;
        ran.map_err(|error| error.as_db_error().unwrap().message().to_owned())
    }

    async fn dump(&self) -> Vec<(String, String)> {
        let client = self.client().await;
        let tables = "select table_name::text from information_schema.tables \
                      where table_schema = current_schema() and table_type = 'BASE TABLE'";
        let mut rows = Vec::new();
        for table in client.query(tables, &[]).await.unwrap() {
            let table: String = table.get(0);
            let all = format!("select t::text from \"{table}\" t");
            let found = client.query(&all, &[]).await.unwrap();
            rows.extend(found.iter().map(|row| (table.clone(), row.get(0))));
        }
        rows.sort();
        rows
    }
}

async fn open(database: &Database) -> PostgresStore {
    PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap()
}
