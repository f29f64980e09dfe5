//! Where the file is, and how to treat it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dipmo_store::Tables;

use crate::SqliteHandler;

/// How much a commit survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A loss of power: every commit waits for the disk (`synchronous = FULL`).
    #[default]
    Full,
    /// A crash of the process. A loss of power may take the last commits with it, though never
    /// half of one (`synchronous = NORMAL`): messages whose offsets were already committed to the
    /// broker would be gone. For tests and for data that can be fetched again.
    Normal,
}

/// Where the database is and how to behave in it.
#[derive(Clone)]
pub struct SqliteOptions {
    /// `sqlite:<path>`, or `sqlite::memory:` for one instance that forgets everything.
    pub url: String,
    /// How long to wait for another process that writes before the call fails as busy.
    /// Defaults to 10 s.
    pub patience: Duration,
    /// How much a commit survives. Defaults to [`Durability::Full`].
    pub durability: Durability,
    /// The file does not grow beyond so many pages of 4 KiB: a write that would make it fails as
    /// full, and is undone. Defaults to no limit but the disk's.
    pub max_pages: Option<u32>,
    /// The tables of the processes, for an instance that does not call `migrate`, which brings
    /// them as well. Defaults to none.
    pub tables: Tables,
    /// Handlers by name; see [`SqliteOptions::handler`]. Defaults to none.
    pub handlers: HashMap<String, Arc<dyn SqliteHandler>>,
}

impl SqliteOptions {
    /// The defaults, for a URL.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            patience: Duration::from_secs(10),
            durability: Durability::default(),
            max_pages: None,
            tables: Tables::default(),
            handlers: HashMap::new(),
        }
    }

    /// Registers a handler under the name that
    /// [`HandlerCall::handler`](dipmo_store::HandlerCall::handler) has.
    #[must_use]
    pub fn handler(mut self, name: &str, handler: impl SqliteHandler + 'static) -> Self {
        self.handlers.insert(name.to_owned(), Arc::new(handler));
        self
    }
}

impl fmt::Debug for SqliteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteOptions")
            .field("url", &self.url)
            .field("patience", &self.patience)
            .field("durability", &self.durability)
            .field("max_pages", &self.max_pages)
            .field("handlers", &self.handlers.keys())
            .finish_non_exhaustive()
    }
}
