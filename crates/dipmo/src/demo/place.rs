//! Where the demo runs: a file in a folder of its own, or a schema of its own.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::schema::Schema;

/// A database that goes when the demo ends.
pub(crate) struct Place {
    pub(crate) database: Database,
    /// For people.
    pub(crate) name: String,
    pub(crate) leftovers: Arc<Leftovers>,
}

/// Where the store is.
pub(crate) enum Database {
    /// A file by its path.
    Sqlite(String),
    /// A URL.
    Postgres(String),
}

impl Database {
    pub(crate) fn address(&self) -> &str {
        match self {
            Self::Sqlite(address) | Self::Postgres(address) => address,
        }
    }
}

/// What has to be removed.
pub(crate) enum Leftovers {
    Folder(PathBuf),
    Schema(Schema),
}

impl Place {
    /// A new SQLite file in the folder for temporary files.
    pub(crate) fn sqlite() -> Result<Self> {
        let name = format!("dipmo-demo-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let database = Database::Sqlite(folder.join("demo.db").display().to_string());
        let leftovers = Arc::new(Leftovers::Folder(folder));
        Ok(Self { database, name: "SQLite".to_owned(), leftovers })
    }

    /// A new schema in a PostgreSQL database. Nothing else in it is read or written.
    pub(crate) async fn postgres(url: &str) -> Result<Self> {
        let schema = Schema::create(url).await?;
        let name = format!("PostgreSQL, schema {}", schema.name());
        let database = Database::Postgres(schema.within().to_owned());
        Ok(Self { database, name, leftovers: Arc::new(Leftovers::Schema(schema)) })
    }
}

impl Leftovers {
    /// Removes everything that the demo made.
    pub(crate) async fn remove(&self) -> Result<()> {
        match self {
            Self::Folder(folder) => remove_folder(folder)
                .with_context(|| format!("cannot remove the folder {}", folder.display())),
            Self::Schema(schema) => schema.drop_it().await,
        }
    }

    /// Removes what can be removed at once; says what is left.
    pub(crate) fn abandon(&self) -> Option<String> {
        match self {
            Self::Folder(folder) => {
                let left = remove_folder(folder).err()?;
                Some(format!("the folder {} is left: {left}", folder.display()))
            }
            Self::Schema(schema) => Some(format!(
                "the schema is left in the database: drop schema {} cascade",
                schema.name()
            )),
        }
    }
}

/// Removes a folder; a connection that is closing may put a file back while that happens.
fn remove_folder(folder: &PathBuf) -> std::io::Result<()> {
    let mut result = Ok(());
    for _ in 0..5 {
        result = std::fs::remove_dir_all(folder);
        if result.is_ok() || !folder.exists() {
            return Ok(());
        }
    }
    result
}
