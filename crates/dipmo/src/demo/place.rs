//! Where the demo runs: a file in a folder of its own, or a schema of its own.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use dipmo_store::Store;
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};

use super::failed::for_people;
use super::schema::Schema;

/// A store that goes when the demo ends.
pub(crate) struct Place {
    pub(crate) store: Arc<dyn Store>,
    /// For people.
    pub(crate) name: String,
    pub(crate) leftovers: Arc<Leftovers>,
}

/// What has to be removed.
pub(crate) enum Leftovers {
    Folder(PathBuf),
    Schema(Schema),
}

impl Place {
    /// A new SQLite file in the folder for temporary files.
    pub(crate) async fn sqlite() -> Result<Self> {
        let name = format!("dipmo-demo-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let leftovers = Arc::new(Leftovers::Folder(folder.clone()));
        let url = format!("sqlite:{}", folder.join("demo.db").display());
        match SqliteStore::open(SqliteOptions::new(&url)).await {
            Ok(store) => Ok(Self { store: Arc::new(store), name: "SQLite".to_owned(), leftovers }),
            Err(error) => {
                leftovers.remove().await?;
                Err(for_people(&error))
            }
        }
    }

    /// A new schema in a PostgreSQL database. Nothing else in it is read or written.
    pub(crate) async fn postgres(url: &str) -> Result<Self> {
        let schema = Schema::create(url).await?;
        let name = format!("PostgreSQL, schema {}", schema.name());
        match schema.open().await {
            Ok(store) => {
                let leftovers = Arc::new(Leftovers::Schema(schema));
                Ok(Self { store: Arc::new(store), name, leftovers })
            }
            Err(error) => {
                schema.drop_it().await?;
                Err(for_people(&error))
            }
        }
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
