//! What failed alike.

use async_trait::async_trait;
use dipmo_domain::{ErrorStage, Fingerprint, StoreError, Timestamp};

use crate::Side;

/// Messages or units whose last failure is of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureGroup {
    /// The group.
    pub fingerprint: Fingerprint,
    /// Messages or units.
    pub side: Side,
    /// `ERROR_STAGE`; messages only.
    pub stage: Option<ErrorStage>,
    /// `ERROR_CODE`.
    pub code: String,
    /// `ERROR_MESSAGE` without what differs from one to the next.
    pub pattern: String,
    /// How many have failed for good, and wait for a person.
    pub failed: u64,
    /// How many wait for their next attempt, or are held.
    pub retrying: u64,
    /// When the first came.
    pub first_seen: Timestamp,
    /// When one last failed so.
    pub last_seen: Timestamp,
    /// One of them: the last that was counted.
    pub sample: i64,
}

/// Groups of what failed or is retried, kept up with every change of a row and never by a scan.
///
/// A row counts while it has a failure and has not ended: as failed when it is FAILED or SERDE_ERROR and was
/// not given up, else as retrying.
#[async_trait]
pub trait Failures: Send + Sync {
    /// Groups in which something counts, those with the newest failures first, at most `limit`.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn failure_groups(&self, limit: u32) -> Result<Vec<FailureGroup>, StoreError>;

    /// Makes the groups cheap to read again, and gives failures a group that an older version left without one;
    /// called from time to time by any instance, at most `limit` of each. Answers how many that were.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn fold_failures(&self, limit: u32) -> Result<u64, StoreError>;

    /// Forgets groups in which nothing has counted since a time.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn forget_failures(&self, before: Timestamp) -> Result<u64, StoreError>;
}
