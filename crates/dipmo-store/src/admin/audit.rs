//! Who did what, when and why.

use async_trait::async_trait;
use dipmo_domain::{Json, StoreError, Timestamp};

use super::page::{Listing, Page};

/// Something that a person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Who: the name of a token, or who sat at the command line.
    pub actor: String,
    /// In which role.
    pub role: String,
    /// What, such as `operation.begin` or `token.revoke`.
    pub action: String,
    /// To what, such as `inbox/4711`.
    pub target: String,
    /// Why, in the words of who did it.
    pub reason: String,
    /// All that belongs to it, without any payload or secret.
    pub detail: Json,
}

/// An entry as it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// Its number.
    pub id: i64,
    /// When, by the database's clock.
    pub at: Timestamp,
    /// What.
    pub entry: AuditEntry,
}

/// Which entries; all that is said must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// By whom.
    pub actor: Option<String>,
    /// What.
    pub action: Option<String>,
    /// To what.
    pub target: Option<String>,
    /// At or after this.
    pub since: Option<Timestamp>,
    /// Before this.
    pub until: Option<Timestamp>,
}

/// The trail. The database itself refuses to change or delete an entry.
#[async_trait]
pub trait Audit: Send + Sync {
    /// Adds an entry on its own; what changes something takes its entry with it.
    ///
    /// # Errors
    /// When it was not kept.
    async fn note(&self, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Entries, the newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn audit(
        &self,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Listing<AuditRow>, StoreError>;
}
