//! What becomes of a claimed message.

use dipmo_domain::{ErrorStage, Failure, InboxId, InboxStatus, OrderKey, StoreError, Timestamp};
use dipmo_inbox::Message;
use dipmo_store::{Settlement, SettlementKind};

use crate::blocks::Fate;
use crate::exceptions::Exception;
use crate::inbox::{DoneRow, InboxTables, comes_after};
use crate::side::{InboxColumns, InboxSide};

/// The settlements of a batch.
pub(crate) struct Settling<'a> {
    pub(crate) inbox: &'a mut InboxTables,
    /// Keys whose head ended in this batch.
    pub(crate) ended: &'a mut Vec<OrderKey>,
    pub(crate) now: Timestamp,
}

impl Settling<'_> {
    pub(crate) fn settle(&mut self, settlement: &Settlement) -> Result<(), StoreError> {
        let (id, kind) = (settlement.message, &settlement.kind);
        let now = self.now;
        let message = self.inbox.log.get(&id).cloned().ok_or_else(|| lost(id))?;
        let was_ready = self.inbox.ready.remove(&message.lane, &id);
        match (kind, was_ready) {
            (SettlementKind::Processed(outcome), true) => {
                self.inbox.done.insert_mut(id, DoneRow { outcome: *outcome, at: now });
            }
            _ => {
                let mut row = self.row(&message, was_ready)?;
                change(&mut row, kind, now);
                self.inbox.exceptions.put(id, row);
            }
        }
        if let Some(key) = message.order_key() {
            self.inbox.blocks.settle(self.ended, &key, id, fate(kind));
            if kind.goes_on() {
                let InboxTables { log, exceptions, .. } = &mut *self.inbox;
                exceptions.overtake(&key, id, |earlier| comes_after(log, id, earlier));
            }
        }
        Ok(())
    }

    fn row(&self, message: &Message, was_ready: bool) -> Result<Exception<InboxSide>, StoreError> {
        match self.inbox.exceptions.get(message.id) {
            Some(row) => Ok(row.clone()),
            None if was_ready => {
                let key = message.order_key();
                Ok(Exception::untried(message.lane, key, InboxColumns::RECEIVED))
            }
            None => Err(lost(message.id)),
        }
    }
}

/// Makes the parked messages of a key due; answers how many.
pub(crate) fn wake(inbox: &mut InboxTables, key: &OrderKey, now: Timestamp) -> usize {
    let waiting = inbox.exceptions.waiting(key);
    let parked = waiting.filter(|(_, row)| !row.held && row.columns.parked_until.is_some());
    let parked: Vec<_> = parked.map(|(id, row)| (id, row.clone())).collect();
    let count = parked.len();
    for (id, row) in parked {
        inbox.exceptions.put(id, Exception { due: Some(now), ..row });
    }
    count
}

fn change(row: &mut Exception<InboxSide>, kind: &SettlementKind, now: Timestamp) {
    match kind {
        SettlementKind::Processed(outcome) => {
            row.tried();
            row.columns.status = InboxStatus::Processed;
            row.columns.outcome = Some(*outcome);
            row.columns.processed_at = Some(now);
        }
        SettlementKind::Retry { after, failure } => {
            fail(row, InboxStatus::Retry, failure);
            row.due = Some(now.after(*after));
        }
        SettlementKind::Failed { failure, .. } => fail(row, InboxStatus::Failed, failure),
        SettlementKind::Held => row.hold(),
        SettlementKind::Parked { at_most } => {
            let until = row.columns.parked_until.get_or_insert(now.after(*at_most));
            row.due = Some(*until);
        }
    }
}

fn fail(row: &mut Exception<InboxSide>, status: InboxStatus, failure: &Failure) {
    row.tried();
    // It was tried although its gap is open: it does not wait for that any more.
    row.columns.parked_until = None;
    row.failure = Some(failure.clone());
    row.columns.status = status;
    row.columns.stage = Some(ErrorStage::Business);
}

const fn fate(kind: &SettlementKind) -> Fate {
    match kind {
        SettlementKind::Retry { .. } | SettlementKind::Failed { block: true, .. } => Fate::Blocks,
        SettlementKind::Processed(_)
        | SettlementKind::Failed { block: false, .. }
        | SettlementKind::Parked { .. } => Fate::Ends,
        SettlementKind::Held => Fate::Waits,
    }
}

fn lost(message: InboxId) -> StoreError {
    StoreError::Fenced { what: format!("message {message}") }
}
