//! A database of its own on the PostgreSQL that tests run on: `DIPMO_TEST_POSTGRES`, else what
//! `cargo xtask services up` started.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::{Client, NoTls};

/// A database that goes when the test ends.
pub(crate) struct Database {
    server: String,
    name: String,
}

impl Database {
    pub(crate) async fn create() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("dipmo_fire_{}_{number}", std::process::id());
        let server = server();
        let admin = connect(&server).await;
        admin.batch_execute(&format!("create database {name}")).await.unwrap();
        Self { server, name }
    }

    pub(crate) fn url(&self) -> String {
        let (rest, _) = self.server.rsplit_once('/').unwrap();
        format!("{rest}/{}", self.name)
    }

    /// A plain connection of the test's own.
    pub(crate) async fn client(&self) -> Client {
        connect(&self.url()).await
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A runtime of its own: the test's may be gone, and dropping cannot wait for it.
        let (url, name) = (self.server.clone(), self.name.clone());
        let dropping = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let drop = format!("drop database if exists {name} with (force)");
                connect(&url).await.batch_execute(&drop).await
            })
        });
        dropping.join().unwrap().unwrap();
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
        panic!(
            "no PostgreSQL 15: run `cargo xtask services up --postgres 15` \
             or set DIPMO_TEST_POSTGRES ({error})"
        )
    });
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    state["url"].as_str().unwrap().to_owned()
}

/// Connects, and drives the connection until it is dropped.
async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
