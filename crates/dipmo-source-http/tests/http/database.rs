//! A PostgreSQL database that goes with its test.

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
        let name = format!("dipmo_http_{}_{number}", std::process::id());
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

    /// A connection past the store, as a person has.
    pub(crate) async fn look(&self) -> Client {
        let url = format!("{}/{}", self.server, self.name);
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    pub(crate) async fn drop(self) {
        self.run("drop database if exists {name} with (force)").await;
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
