//! What can go wrong with a database, sorted by what the caller does next.

use thiserror::Error;

use crate::{Code, Coded, InboxId};

/// An error of a store.
///
/// No variant holds a password or a payload: URLs are shown without their secrets, rows by id.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// The URL cannot be understood.
    #[error("the database URL is not valid: {problem}")]
    UrlInvalid {
        /// What is wrong, without the password.
        problem: String,
    },
    /// Nobody answers at that address, or the connection broke.
    #[error("the database at {place} cannot be reached: {problem}")]
    Unreachable {
        /// Host and port, or the file.
        place: String,
        /// What the driver said.
        problem: String,
    },
    /// The database does not let us in.
    #[error("the database at {place} refused user {user:?}: {problem}")]
    AuthFailed {
        /// Host and port.
        place: String,
        /// The user that was tried.
        user: String,
        /// What the database said.
        problem: String,
    },
    /// Nothing can be written: a standby, a read-only file, a read-only session.
    #[error("the database is read-only ({statement}): {problem}")]
    ReadOnly {
        /// The statement that was tried.
        statement: &'static str,
        /// What the database said.
        problem: String,
    },
    /// Nothing can be written: no room left.
    #[error("the database is full ({statement}): {problem}")]
    Full {
        /// The statement that was tried.
        statement: &'static str,
        /// What the database said.
        problem: String,
    },
    /// A deadlock, a lock time-out, a failed serialisation: the same call may work next time.
    #[error("the database was busy ({statement}): {problem}")]
    Busy {
        /// The statement that was tried.
        statement: &'static str,
        /// What the database said.
        problem: String,
    },
    /// The claim or lease is no longer ours: somebody else goes on with the work. Nothing was written.
    #[error("lost the claim on {what}: nothing was written")]
    Fenced {
        /// What was held.
        what: String,
    },
    /// A process row was changed by somebody else since it was read. Nothing was written.
    #[error(
        "{changed} row(s) of process {process} changed since they were read: nothing was written"
    )]
    VersionConflict {
        /// The process.
        process: String,
        /// How many rows had another VERSION.
        changed: usize,
    },
    /// The database refused the content of a row; the batch was rolled back.
    #[error("the database refused a row ({statement}): {problem}")]
    RowRefused {
        /// The statement that was tried.
        statement: &'static str,
        /// What the database said.
        problem: String,
    },
    /// SQL of a user's own failed; the batch was rolled back. It is the failure of the message that
    /// ran it.
    #[error("{sql} failed: {problem} ({state})")]
    SqlFailed {
        /// What kind, its name, and the names of its parameters; never a value.
        sql: String,
        /// The SQLSTATE, or the code of SQLite.
        state: String,
        /// What the database said.
        problem: String,
    },
    /// The result of a query of a user's own is not as it was declared.
    #[error("{sql} answers otherwise than declared: {problem}")]
    SqlMismatch {
        /// What kind, its name, and the names of its parameters; never a value.
        sql: String,
        /// The column, and what is wrong with it.
        problem: String,
    },
    /// The store has no SQL.
    #[error("{sql} cannot run in {store}, which has no SQL")]
    SqlUnsupported {
        /// What kind, its name, and the names of its parameters; never a value.
        sql: String,
        /// Which store.
        store: &'static str,
    },
    /// The database stands before what was stored in it: it was restored, or failed over to a standby
    /// that was behind. Nothing was written, because what lies between would be lost in silence.
    #[error("the database has lost what was stored in it ({what}): nothing was written")]
    OffsetBehind {
        /// The partitions, with the next offset that was stored and the one that is there.
        what: String,
    },
    /// A batch left messages unsettled; it was rolled back.
    #[error(
        "{messages} message(s) of a batch were not settled, the first {first}: nothing was written"
    )]
    Unsettled {
        /// How many.
        messages: usize,
        /// The first of them.
        first: InboxId,
    },
    /// The schema was never installed here, or not up to what this version needs.
    #[error("the schema is not ready: {problem}")]
    SchemaMissing {
        /// What is missing.
        problem: String,
    },
    /// A newer version of dipmo changed the schema in a way that this one cannot work with.
    #[error("the schema is at migration {applied}, made for a newer dipmo; this one knows {known}")]
    SchemaNewer {
        /// The last migration in the database.
        applied: u32,
        /// The last migration that this version knows.
        known: u32,
    },
    /// A migration that was applied is not the one that this version carries.
    #[error("migration {version} ({name}) was applied with another content")]
    MigrationChanged {
        /// The number of the migration.
        version: u32,
        /// Its name.
        name: String,
    },
    /// A table of a process or of the domain is not as its definition says.
    #[error("table {table} does not fit its definition: {problem}")]
    TableMismatch {
        /// The table.
        table: String,
        /// What differs.
        problem: String,
    },
    /// Instances stand in states that their process does not have any more, and nobody said what
    /// becomes of them. Nothing was changed.
    #[error("instances stand in states that are gone: {strays}")]
    StatesGone {
        /// Processes, states, how many, and the first ids.
        strays: String,
    },
    /// What was said to become of instances in states that are gone does not fit the definitions.
    #[error("the mapping of states is not valid: {problem}")]
    MappingInvalid {
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A statement failed in a way that nobody expected.
    #[error("statement {statement} failed: {problem}")]
    Unexpected {
        /// The statement that was tried.
        statement: &'static str,
        /// What the database said.
        problem: String,
    },
}

impl StoreError {
    /// True when the same call may work later without anybody's help.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::ReadOnly { .. }
                | Self::Full { .. }
                | Self::Busy { .. }
                | Self::Fenced { .. }
                | Self::VersionConflict { .. }
        )
    }

    /// True when the database did its work and would not have what one message brought: without that
    /// message the others of its batch go on.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::RowRefused { .. } | Self::SqlFailed { .. } | Self::SqlMismatch { .. })
    }
}

impl Coded for StoreError {
    fn code(&self) -> Code {
        match self {
            Self::UrlInvalid { .. } => Code::new("store-url-invalid"),
            Self::Unreachable { .. } => Code::new("store-unreachable"),
            Self::AuthFailed { .. } => Code::new("store-auth-failed"),
            Self::ReadOnly { .. } => Code::new("store-read-only"),
            Self::Full { .. } => Code::new("store-full"),
            Self::Busy { .. } => Code::new("store-busy"),
            Self::Fenced { .. } => Code::new("store-fenced"),
            Self::VersionConflict { .. } => Code::new("process-version-conflict"),
            Self::RowRefused { .. } => Code::new("store-row-refused"),
            Self::SqlFailed { .. } => Code::new("sql-failed"),
            Self::SqlMismatch { .. } => Code::new("sql-result-mismatch"),
            Self::SqlUnsupported { .. } => Code::new("sql-unsupported"),
            Self::OffsetBehind { .. } => Code::new("store-offset-behind"),
            Self::Unsettled { .. } => Code::new("batch-unsettled"),
            Self::SchemaMissing { .. } => Code::new("schema-missing"),
            Self::SchemaNewer { .. } => Code::new("schema-newer"),
            Self::MigrationChanged { .. } => Code::new("migration-changed"),
            Self::TableMismatch { .. } => Code::new("table-mismatch"),
            Self::StatesGone { .. } => Code::new("states-gone"),
            Self::MappingInvalid { .. } => Code::new("state-mapping-invalid"),
            Self::Unexpected { .. } => Code::new("store-unexpected"),
        }
    }
}
