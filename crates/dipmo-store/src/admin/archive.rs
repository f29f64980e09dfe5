//! Archiving history: it is set aside, read, and dropped when its files are complete.

use async_trait::async_trait;
use dipmo_domain::{Month, StoreError};

use super::audit::AuditEntry;
use super::duties::DutyLease;
use super::lot::{HistoryRow, Lot, LotAnswer, LotFiles, LotId, LotPart, Wish};
use crate::Pruned;

/// What is archived, lot by lot. One lot at a time is on its way: the newest.
///
/// What was set aside is settled and stays as it is: nothing that could still change is in a lot, so that the rows
/// of it that are read are the rows that are dropped, whatever happens in between.
#[async_trait]
pub trait Archive: Send + Sync {
    /// The lot that is on its way, or a new one of the oldest month before `month` that has something settled;
    /// `None` when there is nothing. At most `limit` rows are put into it in a call, where a store goes by rows: one
    /// that is still filling wants another call.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took the duty.
    async fn set_aside(
        &self,
        lease: &DutyLease,
        month: Month,
        limit: u32,
    ) -> Result<Option<Lot>, StoreError>;

    /// Rows of a lot behind the one with this id, in the order of their ids; records in that of their intents. 0 begins.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn lot_rows(
        &self,
        lot: LotId,
        part: LotPart,
        behind: i64,
        limit: u32,
    ) -> Result<Vec<HistoryRow>, StoreError>;

    /// The files of a lot that was set aside are complete.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took the duty, or the lot is not aside.
    async fn lot_archived(
        &self,
        lease: &DutyLease,
        lot: LotId,
        files: &LotFiles,
    ) -> Result<(), StoreError>;

    /// Drops the rows of a lot that was archived, at most `limit` a call where a store goes by rows.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took the duty, or the lot is not archived.
    async fn drop_lot(
        &self,
        lease: &DutyLease,
        lot: LotId,
        limit: u32,
    ) -> Result<Pruned, StoreError>;

    /// Drops the small rows that told where dropped ones stood, unless a lot is on its way.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took the duty.
    async fn tidy_history(
        &self,
        lease: &DutyLease,
        month: Month,
        limit: u32,
    ) -> Result<Pruned, StoreError>;

    /// Puts rows of a lot back that are not there, as history: nothing happens because of them. Answers how many.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took the duty.
    async fn restore_rows(
        &self,
        lease: &DutyLease,
        part: LotPart,
        rows: &[HistoryRow],
    ) -> Result<u64, StoreError>;

    /// Notes what somebody wants of a lot, with its entry of the audit. `None` when there is no such lot, or it has no
    /// files yet.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn wish(
        &self,
        lot: LotId,
        wish: Wish,
        entry: &AuditEntry,
    ) -> Result<Option<Lot>, StoreError>;

    /// Tells what became of a wish.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when somebody else took the duty.
    async fn answer_wish(
        &self,
        lease: &DutyLease,
        lot: LotId,
        answer: &LotAnswer,
    ) -> Result<(), StoreError>;

    /// The oldest lots that somebody wants something of.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn wished_lots(&self, limit: u32) -> Result<Vec<Lot>, StoreError>;

    /// The oldest month that was restored, or is to be, and is held: nothing of it or behind it is dropped.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn held_month(&self) -> Result<Option<Month>, StoreError>;

    /// Lots with lower numbers than this one, the newest first.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn lots(&self, before: Option<LotId>, limit: u32) -> Result<Vec<Lot>, StoreError>;
}
