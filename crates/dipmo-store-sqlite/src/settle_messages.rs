//! What becomes of claimed messages.

use dipmo_domain::{
    ErrorStage, InboxId, InboxStatus, Lane, OrderKey, Outcome, StoreError, Timestamp,
};
use dipmo_store::{Settlement, SettlementKind};

use crate::blocks;
use crate::claim::Claim;
use crate::error::unexpected;
use crate::exception::ExceptionRow;
use crate::overtaking::WentOn;
use crate::releases::Endings;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// What settling must know of a message.
#[derive(Debug)]
pub(crate) struct Open {
    received_at: Timestamp,
    lane: Lane,
    order_key: Option<OrderKey>,
    source_system: String,
    source_version: Option<i64>,
    attempts: u32,
    parked_until: Option<Timestamp>,
    /// The status of its exception row, if it has one.
    again: Option<InboxStatus>,
}

impl Open {
    pub(crate) fn of(claim: &Claim) -> Self {
        let message = &claim.message.message;
        Self {
            received_at: message.received_at,
            lane: message.lane,
            order_key: message.order_key(),
            source_system: message.source_system.clone(),
            source_version: message.source_version,
            attempts: claim.message.attempts,
            parked_until: claim.message.parked_until,
            again: claim.again,
        }
    }

    /// What others of its key must know of it when it was processed; nothing, if it is alone.
    pub(crate) fn went_on(self, id: InboxId) -> Option<WentOn> {
        let Self { source_system, source_version, .. } = self;
        Some(WentOn { key: self.order_key?, id: id.0, source_system, source_version })
    }
}

/// Writes where a message stands now.
pub(crate) fn settle(
    tx: &Tx<'_>,
    settlement: &Settlement,
    open: &Open,
    endings: &mut Endings,
) -> Result<(), StoreError> {
    let id = settlement.message.0;
    let put = |row: ExceptionRow<'_>| row.put(tx, Which::Inbox);
    let row = |status: InboxStatus| ExceptionRow {
        attempts: open.attempts,
        ..ExceptionRow::new(
            id,
            open.received_at,
            ("", open.lane),
            open.order_key.as_ref(),
            status.as_str(),
        )
    };
    // What is not tried keeps its status.
    let untried = open.again.unwrap_or(InboxStatus::Received);
    let tried = |status: InboxStatus| ExceptionRow { attempts: open.attempts + 1, ..row(status) };
    match &settlement.kind {
        SettlementKind::Processed(outcome) if open.again.is_none() => done(tx, id, *outcome),
        SettlementKind::Processed(outcome) => {
            end_block(open, id, endings);
            let ended = Some(tx.now());
            put(ExceptionRow { outcome: Some(*outcome), ended, ..tried(InboxStatus::Processed) })
        }
        SettlementKind::Retry { after, failure } => {
            put(ExceptionRow {
                due: Some(tx.now().after(*after)),
                error_stage: Some(ErrorStage::Business),
                failure: Some(failure),
                ..tried(InboxStatus::Retry)
            })?;
            set_block(tx, open, id)
        }
        SettlementKind::Failed { failure, block } => {
            put(ExceptionRow {
                error_stage: Some(ErrorStage::Business),
                failure: Some(failure),
                ..tried(InboxStatus::Failed)
            })?;
            if *block {
                return set_block(tx, open, id);
            }
            end_block(open, id, endings);
            Ok(())
        }
        SettlementKind::Held => {
            let Some(key) = &open.order_key else {
                let problem = format!("#{id} has no order key: it cannot be held behind another");
                return Err(unexpected("settle", problem));
            };
            endings.held("", key);
            put(ExceptionRow { held: true, parked_until: open.parked_until, ..row(untried) })
        }
        SettlementKind::Parked { at_most } => {
            end_block(open, id, endings);
            let until = open.parked_until.unwrap_or_else(|| tx.now().after(*at_most));
            let parked_until = Some(until);
            put(ExceptionRow { due: parked_until, parked_until, ..row(untried) })
        }
    }
}

fn done(tx: &Tx<'_>, id: i64, outcome: Outcome) -> Result<(), StoreError> {
    let params = (id, tx.now().as_micros(), outcome.as_str(), None::<&str>);
    tx.run(&sql::done_insert(Which::Inbox), params).map(drop)
}

fn set_block(tx: &Tx<'_>, open: &Open, id: i64) -> Result<(), StoreError> {
    open.order_key
        .as_ref()
        .map_or(Ok(()), |key| blocks::set(tx, Which::Inbox, ("", open.lane), key, id))
}

fn end_block(open: &Open, id: i64, endings: &mut Endings) {
    // Only a message that was tried before can be somebody's head.
    if let Some(key) = open.order_key.as_ref().filter(|_| open.again.is_some()) {
        endings.ended("", key, id);
    }
}
