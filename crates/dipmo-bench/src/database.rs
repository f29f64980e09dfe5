//! A database of one round: made, measured in, and dropped.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result};
use tokio_postgres::{Client, NoTls};

/// How many databases this process has made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A database that was empty when the round began.
pub(crate) struct Database {
    server: String,
    name: String,
    client: Client,
}

impl Database {
    /// An empty database on the server of a URL.
    pub(crate) async fn create(server: &str) -> Result<Self> {
        let name = name(MADE.fetch_add(1, Ordering::Relaxed));
        let admin = connect(server).await?;
        admin.batch_execute(&format!("create database {name}")).await.context("no database")?;
        let client = connect(&at_database(server, &name)).await?;
        Ok(Self { server: server.to_owned(), name, client })
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        at_database(&self.server, &self.name)
    }

    /// A connection beside those of the store.
    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    /// Writes all dirty pages out, so that every step begins with the same debts.
    pub(crate) async fn checkpoint(&self) -> Result<()> {
        self.client.batch_execute("checkpoint").await.context("cannot run CHECKPOINT")
    }

    /// How much WAL the server has written since it was made, in bytes.
    pub(crate) async fn wal_bytes(&self) -> Result<i64> {
        let text = "select (pg_current_wal_lsn() - '0/0')::int8";
        let row = self.client.query_one(text, &[]).await.context("cannot read the WAL position")?;
        Ok(row.get(0))
    }

    /// Drops it, whoever is still connected.
    pub(crate) async fn remove(self) -> Result<()> {
        let Self { server, name, client } = self;
        drop(client);
        drop_database(&server, &name).await
    }
}

/// Does something with a database of its own, which is removed whatever comes of it.
pub(crate) async fn with_database<T>(
    server: &str,
    work: impl AsyncFnOnce(&Database) -> Result<T>,
) -> Result<T> {
    let database = Database::create(server).await?;
    let done = work(&database).await;
    database.remove().await?;
    done
}

/// Drops what an interrupted run leaves behind.
pub(crate) async fn remove_left_over(server: &str) {
    for number in 0..MADE.load(Ordering::Relaxed) {
        if let Err(error) = drop_database(server, &name(number)).await {
            eprintln!("warning: {error:#}");
        }
    }
}

async fn drop_database(server: &str, name: &str) -> Result<()> {
    let text = format!("drop database if exists {name} with (force)");
    let dropped = connect(server).await?.batch_execute(&text).await;
    dropped.with_context(|| format!("database {name} was not dropped"))
}

fn name(number: u32) -> String {
    format!("dipmo_bench_{}_{number}", std::process::id())
}

/// Connects, and drives the connection until the client is dropped.
async fn connect(url: &str) -> Result<Client> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.context("cannot connect to PostgreSQL")?;
    tokio::spawn(connection);
    Ok(client)
}

/// The same server, another database; both forms of PostgreSQL's addresses.
fn at_database(server: &str, name: &str) -> String {
    let Some((scheme, rest)) = server.split_once("://") else {
        return format!("{server} dbname={name}");
    };
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    let host = place.split_once('/').map_or(place, |(host, _)| host);
    let options = if options.is_empty() { String::new() } else { format!("?{options}") };
    format!("{scheme}://{host}/{name}{options}")
}

#[cfg(test)]
mod tests {
    use super::at_database;

    #[test]
    fn the_database_of_an_address_is_replaced() {
        for (server, wanted) in [
            ("postgres://u:p@h:5/db", "postgres://u:p@h:5/b"),
            ("postgres://u:p@h:5", "postgres://u:p@h:5/b"),
            ("postgres://h/db?sslmode=prefer", "postgres://h/b?sslmode=prefer"),
            ("host=h dbname=db", "host=h dbname=db dbname=b"),
        ] {
            assert_eq!(at_database(server, "b"), wanted);
        }
    }
}
