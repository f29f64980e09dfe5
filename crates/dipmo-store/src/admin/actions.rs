//! Operations: what an operator does to many messages or units.
//!
//! An operation is a row with its items: the messages or units that it is about, each as it stood when the
//! operation began. Whoever has the lease performs items in small transactions; the transaction that changes
//! an item also says so in the operation. So a crash at any line leaves each item either as it was or done,
//! whoever goes on does not do it again, and what has moved since it was seen is left alone.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{InboxId, StoreError, Timestamp};
use dipmo_inbox::NewMessage;

use super::audit::AuditEntry;
use super::operation::{
    Act, Begun, NewOperation, Operation, OperationChange, OperationId, OperationItem,
    OperationLease, Performed, Preview, Target,
};
use super::page::{Listing, Page};
use crate::Decoded;

/// Operations.
#[async_trait]
pub trait Actions: Send + Sync {
    /// What an operation would be about, and nothing else: a dry run. A filter takes what has not ended,
    /// left the straight path, and can be acted upon by its status: to retry, FAILED, RETRY and what is parked
    /// (units: FAILED and PENDING that were tried); to skip, the same and SERDE_ERROR (units: FAILED); to release,
    /// FAILED and SERDE_ERROR (units: FAILED); to reparse, SERDE_ERROR (units: none). What is held, or was given up,
    /// is not taken; SERDE_ERROR is, wherever it stands in the line of its key. To resend, a filter takes nothing: what
    /// has ended is found by [`ended_units`](super::ended_units), page by page, and named by its ids; to replay, by
    /// [`processed_messages`](super::processed_messages). Ids are taken as they are, each once, also those of nobody.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn preview(&self, act: Act, target: &Target) -> Result<Preview, StoreError>;

    /// Begins an operation: its row, its items as they stand now, and the entry of the audit, in one
    /// transaction. The `target` of the entry becomes `operation/<id>`. One without items has ended at once.
    ///
    /// # Errors
    /// When nothing was written.
    async fn begin_operation(&self, new: &NewOperation) -> Result<Begun, StoreError>;

    /// Leases an operation that runs and that nobody has: the one with this number, or else the oldest.
    ///
    /// # Errors
    /// When nothing was leased.
    async fn take_operation(
        &self,
        id: Option<OperationId>,
        owner: &str,
        duration: Duration,
    ) -> Result<Option<OperationLease>, StoreError>;

    /// Prolongs a lease, and answers how the operation stands: whoever performs it stops when it does not run
    /// any more. An operation that runs and of which every item was met ends here.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took it.
    async fn renew_operation(
        &self,
        lease: &OperationLease,
        duration: Duration,
    ) -> Result<Operation, StoreError>;

    /// Gives a lease back, so that nobody has to wait for its end.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn give_back_operation(&self, lease: &OperationLease) -> Result<(), StoreError>;

    /// Items that were not met yet, in the order of their ids.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn next_items(
        &self,
        lease: &OperationLease,
        limit: u32,
    ) -> Result<Vec<OperationItem>, StoreError>;

    /// Does the act of the operation to items, at most [`MOST_AT_ONCE`](crate::MOST_AT_ONCE): for each lane a
    /// transaction in which the lease is checked, items that are not as they were seen are left alone
    /// ([`Acted::Changed`](crate::Acted::Changed)), the others are acted upon, and the results are written.
    /// What was met before, or is no item of it, is left out. Not for messages that are to be decoded again or
    /// replayed.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took it, or it does not run any more. What was done before stays
    /// done, and is known.
    async fn perform(
        &self,
        lease: &OperationLease,
        items: &[OperationItem],
    ) -> Result<Performed, StoreError>;

    /// Takes messages as what they are decoded to now, as [`Operate::reparse`](crate::Operate::reparse), and writes
    /// the results, in one transaction. `gone` are items that there was nothing to decode of: their result is
    /// NOT_FOUND. What was met before, or is no item of it, is left out.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took it, or it does not run any more; then nothing was changed.
    async fn perform_reparse(
        &self,
        lease: &OperationLease,
        messages: &[Decoded],
        gone: &[InboxId],
    ) -> Result<Performed, StoreError>;

    /// Stores the messages by which others are processed once more, each beside the item that it repeats, and writes
    /// the results, in one transaction: DONE for those, and for items that are left alone the word that is said. What
    /// was met before, or is no item of it, is left out.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took it, or it does not run any more; then nothing was changed.
    async fn perform_replay(
        &self,
        lease: &OperationLease,
        again: &[(InboxId, NewMessage)],
        left: &[(InboxId, &'static str)],
    ) -> Result<Performed, StoreError>;

    /// Pauses, resumes or cancels an operation, with the entry of the audit. `None` when there is none; one that
    /// does not run or wait any more, or is already as was said, is answered as it stands, without an entry.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn change_operation(
        &self,
        id: OperationId,
        change: OperationChange,
        entry: &AuditEntry,
    ) -> Result<Option<Operation>, StoreError>;

    /// One operation.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn operation(&self, id: OperationId) -> Result<Option<Operation>, StoreError>;

    /// Operations, the newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn operations(&self, page: Page) -> Result<Listing<Operation>, StoreError>;

    /// How many items of an operation met each end, by the word for it.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn operation_results(&self, id: OperationId)
    -> Result<BTreeMap<String, u64>, StoreError>;

    /// Items of an operation behind an id, in the order of ids; only those with a result, when one is named.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn operation_items(
        &self,
        id: OperationId,
        result: Option<&str>,
        behind: Option<i64>,
        limit: u32,
    ) -> Result<Vec<OperationItem>, StoreError>;

    /// Forgets items of operations that ended before a time, at most `limit`; the operations stay.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn forget_operation_items(
        &self,
        before: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError>;
}
