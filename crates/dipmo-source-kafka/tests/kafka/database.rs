//! A PostgreSQL database that goes with its test, and that can be set back to an earlier moment.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dipmo_store::{Store as _, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use tokio_postgres::{Client, NoTls};

/// A database of its own.
pub(crate) struct Database {
    name: String,
    admin: Client,
    server: String,
}

impl Database {
    pub(crate) async fn create() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let name = format!("dipmo_source_{}_{number}", std::process::id());
        let url = server();
        let (admin, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let (server, _) = url.rsplit_once('/').unwrap();
        let database = Self { name, admin, server: server.to_owned() };
        database.run("create database {name}").await;
        database
    }

    /// A store with all its tables.
    pub(crate) async fn store(&self) -> Arc<PostgresStore> {
        let options = PostgresOptions::new(&format!("{}/{}", self.server, self.name));
        let store = Arc::new(PostgresStore::connect(&options).await.unwrap());
        store.migrate(&Tables::default()).await.unwrap();
        store
    }

    /// Does something in it, as a person who administers it.
    pub(crate) async fn within(&self, statement: &str) {
        let url = format!("{}/{}", self.server, self.name);
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(statement).await.unwrap();
    }

    /// What a standby has that gets nothing from here on.
    pub(crate) async fn snapshot(&self) {
        self.close().await;
        self.run("create database {name}_standby template {name}").await;
        self.run("alter database {name} with allow_connections true").await;
    }

    /// Fails over to the standby, under everybody who is connected.
    pub(crate) async fn set_back(&self) {
        self.close().await;
        self.run("alter database {name} rename to {name}_lost").await;
        self.run("alter database {name}_standby rename to {name}").await;
    }

    pub(crate) async fn drop(self) {
        for copy in ["", "_lost"] {
            self.run(&format!("drop database if exists {{name}}{copy} with (force)")).await;
        }
    }

    /// Ends all connections and lets nobody in.
    async fn close(&self) {
        self.run("alter database {name} with allow_connections false").await;
        self.run(
            "do $$ begin perform pg_terminate_backend(pid, 60000) from pg_stat_activity \
             where datname = '{name}'; end $$",
        )
        .await;
    }

    async fn run(&self, statement: &str) {
        let statement = statement.replace("{name}", &self.name);
        self.admin.batch_execute(&statement).await.unwrap();
    }
}

/// The URL of a role that may create databases. A test without a server fails: a skip would read
/// as passed.
fn server() -> String {
    if let Ok(url) = std::env::var("DIPMO_TEST_POSTGRES") {
        return url;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services/postgres-15.json");
    let state = std::fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!("no PostgreSQL: run `cargo xtask services up` or set DIPMO_TEST_POSTGRES ({error})")
    });
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    state["url"].as_str().unwrap().to_owned()
}
