//! A schema of PostgreSQL that the demo makes, and drops again.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use dipmo_domain::StoreError;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use tokio_postgres::Client;

use super::failed::for_people;

/// A schema of our own: its name was new when it was made.
pub(crate) struct Schema {
    url: String,
    name: String,
    /// The URL with this schema as the whole search path.
    within: String,
}

impl Schema {
    /// Makes a schema that did not exist before.
    pub(crate) async fn create(url: &str) -> Result<Self> {
        // The store's own errors say best what is wrong with a URL or a server.
        let check = PostgresStore::connect(&PostgresOptions::new(url)).await;
        drop(check.map_err(|error| for_people(&error))?);
        let name = format!("dipmo_demo_{}_{:08x}", std::process::id(), fastrand::u32(..));
        let within = within(url, &name).map_err(|error| for_people(&error))?;
        let schema = Self { url: url.to_owned(), name, within };
        let create = format!("create schema {}", schema.name);
        if let Err(error) = schema.client().await?.batch_execute(&create).await {
            let problem =
                error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
            bail!("the demo makes a schema of its own, and may not: {problem}");
        }
        Ok(schema)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The URL of a database that has this schema and no other.
    pub(crate) fn within(&self) -> &str {
        &self.within
    }

    /// Drops it with everything in it.
    pub(crate) async fn drop_it(&self) -> Result<()> {
        let drop = format!("drop schema {} cascade", self.name);
        let dropped = self.client().await?.batch_execute(&drop).await;
        dropped.with_context(|| format!("the schema is left: {drop}"))
    }

    async fn client(&self) -> Result<Client> {
        let client = PostgresOptions::new(&self.url).client().await;
        client.context("cannot connect to PostgreSQL any more")
    }
}

/// The URL with the schema as the whole search path, beside the options that it has already.
fn within(url: &str, schema: &str) -> Result<String, StoreError> {
    let given = PostgresOptions::new(url).session_options()?;
    let options = format!("{given} -c search_path={schema}");
    let options = options.trim();
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        let joint = if url.contains('?') { '&' } else { '?' };
        Ok(format!("{url}{joint}options={}", percent(options)))
    } else {
        let quoted = options.replace('\\', "\\\\").replace('\'', "\\'");
        Ok(format!("{url} options='{quoted}'"))
    }
}

/// As it stands in a URL.
pub(crate) fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(url: &str) -> String {
        let url = within(url, "demo").unwrap();
        PostgresOptions::new(&url).session_options().unwrap()
    }

    #[test]
    fn the_search_path_is_added_to_every_form_of_a_url() {
        let path = "-c search_path=demo";
        assert_eq!(options("postgres://u:p@h:5/db"), path);
        assert_eq!(options("postgresql://h/db?connect_timeout=3"), path);
        assert_eq!(options("host=h user=u"), path);
        let both = "-c geqo=off -c search_path=demo";
        assert_eq!(options("postgres://h/db?options=-c%20geqo%3Doff"), both);
        assert_eq!(options("host=h options='-c geqo=off'"), both);
    }
}
