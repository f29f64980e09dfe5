//! Looking: lists, and one thing whole.

use async_trait::async_trait;
use dipmo_domain::{InboxId, OutboxId, StoreError};
use dipmo_inbox::InboxRow;
use dipmo_outbox::OutboxRow;

use super::filter::{InstanceFilter, MessageFilter, UnitFilter};
use super::lines::{LaneLine, MessageLine, UnitLine};
use super::page::{InstancePage, Listing, Page};

/// Lists that stay fast whatever the history: each page costs a bounded number of rows.
#[async_trait]
pub trait Browse: Send + Sync {
    /// Messages, the newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn messages(
        &self,
        filter: &MessageFilter,
        page: Page,
    ) -> Result<Listing<MessageLine>, StoreError>;

    /// One message.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn message(&self, id: InboxId) -> Result<Option<InboxRow>, StoreError>;

    /// Units, the newest first: intents without records, and records.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn units(&self, filter: &UnitFilter, page: Page)
    -> Result<Listing<UnitLine>, StoreError>;

    /// One intent. The id of a record finds the intent that it is of.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn intent(&self, id: OutboxId) -> Result<Option<OutboxRow>, StoreError>;

    /// Intents that messages caused, at most `limit`, in the order of their ids.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn caused_by(
        &self,
        messages: &[InboxId],
        limit: u32,
    ) -> Result<Vec<OutboxRow>, StoreError>;

    /// Instances of a process behind an id, in the order of ids.
    ///
    /// # Errors
    /// When the database does not answer, or the process has no table.
    async fn instances(
        &self,
        process: &str,
        filter: &InstanceFilter,
        behind: Option<&str>,
        limit: u32,
    ) -> Result<InstancePage, StoreError>;

    /// Lanes that are leased or held by a job, by destination.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn lanes(&self) -> Result<Vec<LaneLine>, StoreError>;
}
