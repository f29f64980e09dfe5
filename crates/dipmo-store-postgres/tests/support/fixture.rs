//! The fixture of the conformance suite, for both versions of the server.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_store::Store;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::{Fixture, suite_tables};
use tokio::sync::OnceCell;

use super::database::Database;
use super::server::Server;

/// Short, so that a stopped batch loses its session within a test.
const STOPPED_AFTER: Duration = Duration::from_secs(2);

/// A database and the store on it.
pub struct PostgresFixture {
    store: Arc<PostgresStore>,
    pub database: Database,
}

impl PostgresFixture {
    pub async fn empty(server: Server) -> Self {
        Self::on(Database::create(server).await).await
    }

    /// A copy of a database that was migrated once: copying is faster than making 30 tables.
    pub async fn fresh(server: Server) -> Self {
        static TEMPLATE: OnceCell<Database> = OnceCell::const_new();
        let template = TEMPLATE.get_or_init(|| async {
            let database = Database::create(server).await;
            open(&database).await.migrate(&suite_tables()).await.unwrap();
            database.disconnect_all().await;
            database
        });
        let database = Database::create_like(server, template.await.name()).await;
        let fixture = Self::on(database).await;
        // The store learns its tables; there is nothing left to make.
        fixture.store.migrate(&suite_tables()).await.unwrap();
        fixture
    }

    async fn on(database: Database) -> Self {
        let store = Arc::new(open(&database).await);
        Self { store, database }
    }

    /// Ends all sessions that are inside a transaction.
    pub async fn kill_claimers(&self) {
        let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                    where datname = current_database() and pid <> pg_backend_pid() \
                    and state like 'idle in transaction%'";
        self.database.client().await.query(kill, &[]).await.unwrap();
    }
}

async fn open(database: &Database) -> PostgresStore {
    let options = PostgresOptions {
        idle_in_transaction: STOPPED_AFTER,
        ..PostgresOptions::new(&database.url())
    };
    PostgresStore::connect(&options).await.unwrap()
}

macro_rules! fixture {
    ($(#[$doc:meta])* $name:ident, $server:expr) => {
        $(#[$doc])*
        pub struct $name(PostgresFixture);

        impl $name {
            /// The URL of its database.
            pub fn url(&self) -> String {
                self.0.database.url()
            }

            /// A plain connection of the test's own.
            pub async fn client(&self) -> tokio_postgres::Client {
                self.0.database.client().await
            }
        }

        #[async_trait]
        impl Fixture for $name {
            async fn fresh() -> Self {
                Self(PostgresFixture::fresh($server).await)
            }

            async fn empty() -> Self {
                Self(PostgresFixture::empty($server).await)
            }

            fn store(&self) -> Arc<dyn Store> {
                Arc::clone(&self.0.store) as Arc<dyn Store>
            }

            async fn another(&self) -> Arc<dyn Store> {
                let store = open(&self.0.database).await;
                store.migrate(&suite_tables()).await.unwrap();
                Arc::new(store)
            }

            async fn kill_claimers(&self) {
                self.0.kill_claimers().await;
            }

            fn stopped_after() -> Duration {
                STOPPED_AFTER
            }
        }
    };
}

fixture! {
    /// On the oldest version that is supported.
    Postgres15, Server::Postgres15
}
fixture! {
    /// On the newest.
    Postgres18, Server::Postgres18
}
