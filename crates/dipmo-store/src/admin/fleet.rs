//! The instances that work on a database.

use async_trait::async_trait;
use dipmo_domain::{Json, StoreError, Timestamp};

/// What an instance tells of itself, every few seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceReport {
    /// Its name: unique to this process.
    pub name: String,
    /// The version of dipmo.
    pub version: String,
    /// Its roles, such as `consume,process`.
    pub roles: String,
    /// How it is: figures and troubles, without any payload or secret.
    pub report: Json,
}

/// An instance as it last told of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceRow {
    /// What it told.
    pub report: InstanceReport,
    /// When it told for the first time.
    pub started_at: Timestamp,
    /// When it told last.
    pub seen_at: Timestamp,
}

/// Who is at work.
#[async_trait]
pub trait Fleet: Send + Sync {
    /// Tells that an instance is there.
    ///
    /// # Errors
    /// When it was not kept.
    async fn report(&self, report: &InstanceReport) -> Result<(), StoreError>;

    /// An instance that ends says so.
    ///
    /// # Errors
    /// When it was not kept.
    async fn sign_off(&self, name: &str) -> Result<(), StoreError>;

    /// All that told of themselves, those that were seen last first, at most `limit`.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn fleet(&self, limit: u32) -> Result<Vec<InstanceRow>, StoreError>;

    /// Forgets those that were not seen since a time.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn forget_instances(&self, before: Timestamp) -> Result<u64, StoreError>;
}
