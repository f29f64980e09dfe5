//! A database that goes when the test ends.

use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::{Client, NoTls};

use super::server::Server;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A database of one test.
pub(crate) struct Database {
    server: Server,
    name: String,
}

impl Database {
    /// An empty database.
    pub(crate) async fn create(server: Server) -> Self {
        Self::create_like(server, "template1").await
    }

    /// A copy of another database that nobody is connected to.
    pub(crate) async fn create_like(server: Server, template: &str) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("dipmo_test_{}_{number}", std::process::id());
        let admin = connect(&server.url()).await;
        let create = format!("create database {name} template {template}");
        admin.batch_execute(&create).await.unwrap();
        Self { server, name }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its URL.
    pub(crate) fn url(&self) -> String {
        let url = self.server.url();
        let (rest, _) = url.rsplit_once('/').unwrap();
        format!("{rest}/{}", self.name)
    }

    /// Ends every connection to it, and waits until they are gone: only then can it be copied.
    pub(crate) async fn disconnect_all(&self) {
        let admin = connect(&self.server.url()).await;
        let end =
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = $1";
        while admin.query_one(end, &[&self.name]).await.unwrap().get::<_, i64>(0) > 0 {
            tokio::task::yield_now().await;
        }
    }

    /// A plain connection of the test's own.
    pub(crate) async fn client(&self) -> Client {
        connect(&self.url()).await
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A runtime of its own: the test's may be gone, and dropping cannot wait for it.
        let (url, name) = (self.server.url(), self.name.clone());
        let dropping = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let admin = connect(&url).await;
                let drop = format!("drop database if exists {name} with (force)");
                admin.batch_execute(&drop).await
            })
        });
        dropping.join().unwrap().unwrap();
    }
}

/// Connects, and drives the connection until it is dropped.
pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
