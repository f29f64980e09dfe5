//! Duties: what one instance does for all of them.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};

use super::audit::AuditEntry;

/// The duty to drop and archive history.
pub const RETENTION: &str = "retention";

/// The right to do a duty. It carries an epoch: after somebody else took the duty, nothing is changed under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutyLease {
    /// Which duty.
    pub duty: String,
    /// Which lease of it this is.
    pub epoch: i64,
}

/// A duty, and who does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutyRow {
    /// Its name.
    pub duty: String,
    /// Who does it.
    pub owner: Option<String>,
    /// Until when nobody else can take it.
    pub lease_until: Option<Timestamp>,
    /// When somebody asked for it to be done now, and it was not done since.
    pub asked_at: Option<Timestamp>,
    /// What went wrong the last time, if something did.
    pub trouble: Option<String>,
}

/// One instance is elected for each duty, by a lease.
#[async_trait]
pub trait Duties: Send + Sync {
    /// Takes a duty that nobody has; `None` when somebody has it.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn take_duty(
        &self,
        duty: &str,
        owner: &str,
        duration: Duration,
    ) -> Result<Option<DutyLease>, StoreError>;

    /// Prolongs a lease, and answers how the duty stands.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took the duty.
    async fn renew_duty(
        &self,
        lease: &DutyLease,
        duration: Duration,
    ) -> Result<DutyRow, StoreError>;

    /// Gives a lease back, unless somebody else took the duty.
    ///
    /// # Errors
    /// When it was not given back; it runs out by itself.
    async fn give_back_duty(&self, lease: &DutyLease) -> Result<(), StoreError>;

    /// Tells how a round ended: who asked for one up to `asked` has it, and what went wrong is kept for people.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took the duty.
    async fn end_round(
        &self,
        lease: &DutyLease,
        asked: Option<Timestamp>,
        trouble: Option<&str>,
    ) -> Result<(), StoreError>;

    /// Asks for a duty to be done now, by whoever has it. Its entry of the audit goes with it.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn ask_duty(&self, duty: &str, entry: &AuditEntry) -> Result<DutyRow, StoreError>;

    /// How a duty stands; one that nobody ever took has nobody.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn duty(&self, duty: &str) -> Result<DutyRow, StoreError>;
}
