//! The database.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::read::{section, words};
use crate::{SecretUrl, Spanned, Template};

section! {
    /// The database that everything is kept in: PostgreSQL or SQLite.
    pub struct Store("a store") one_of ["postgres", "sqlite"] {
        /// PostgreSQL: `postgres://user:password@host:port/database`, or its `key=value` form.
        #[example("${env:DATABASE_URL}")]
        postgres: Option<SecretUrl>,
        /// SQLite: the path of the file, or `:memory:` for one instance that forgets everything.
        #[example("./dipmo.db")]
        sqlite: Option<Template>,
        /// PostgreSQL: the most connections for workers, sources and dispatchers. Defaults to 16.
        #[example(16)]
        pool: Option<Spanned<NonZeroU32>>,
        /// PostgreSQL: the most connections for reports and operators. Defaults to 4.
        report_pool: Option<Spanned<NonZeroU32>>,
        /// PostgreSQL: a session that stands still inside a transaction for so long is ended by the
        /// database, and its lanes are free again. Defaults to 30s.
        idle_in_transaction: Option<Spanned<Duration>>,
        /// How long to wait for a connection, a lock or another process that writes before a call fails
        /// as busy. Defaults to 10s.
        patience: Option<Spanned<Duration>>,
        /// PostgreSQL: whether instances wake each other with LISTEN and NOTIFY. Defaults to true.
        notify: Option<Spanned<bool>>,
        /// SQLite: how much a commit survives. Defaults to full.
        durability: Option<Spanned<Durability>>,
        /// SQLite: the file does not grow beyond so many pages of 4 KiB. Defaults to no limit.
        max_pages: Option<Spanned<NonZeroU32>>,
    }
}

words! {
    /// How much a commit survives.
    pub enum Durability("a durability") {
        /// A loss of power: every commit waits for the disk.
        Full = "full",
        /// A crash of the process. A loss of power may take the last commits with it.
        Normal = "normal",
    }
}
