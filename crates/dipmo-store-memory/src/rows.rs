//! Rows as the views INBOX, OUTBOX and OUTBOX_RECORD show them.

use std::sync::Arc;

use dipmo_domain::{Failure, InboxStatus, OutboxId, OutboxStatus, Timestamp};
use dipmo_inbox::{InboxRow, Message};
use dipmo_outbox::{OutboxRow, RecordRow};

use crate::inbox::InboxTables;
use crate::outbox::{IntentRow, OutboxTables, UnitRow};

/// A row of INBOX.
pub(crate) fn inbox_row(inbox: &InboxTables, message: &Arc<Message>) -> InboxRow {
    let id = message.id;
    let mut row = InboxRow {
        message: message.as_ref().clone(),
        status: InboxStatus::Received,
        attempts: 0,
        next_attempt_at: None,
        processed_at: None,
        outcome: None,
        held_behind: None,
        error_stage: None,
        failure: None,
    };
    if let Some(done) = inbox.done.get(&id) {
        row.status = InboxStatus::Processed;
        row.attempts = 1;
        row.processed_at = Some(done.at);
        row.outcome = Some(done.outcome);
    } else if let Some(exception) = inbox.exceptions.get(id) {
        row.status = exception.columns.status;
        row.attempts = exception.attempts;
        row.next_attempt_at = exception.due;
        row.processed_at = exception.columns.processed_at;
        row.outcome = exception.columns.outcome;
        // One that cannot be decoded may stand in line as the head of it.
        row.held_behind = inbox.blocks.held_behind(exception).filter(|head| *head != id);
        row.error_stage = exception.columns.stage;
        row.failure.clone_from(&exception.failure);
    }
    row
}

/// A row of OUTBOX. One with records shows what its records come to.
pub(crate) fn outbox_row(outbox: &OutboxTables, id: OutboxId, row: &IntentRow) -> OutboxRow {
    let units: Vec<Standing> =
        outbox.units_of(id).map(|(unit, _)| standing(outbox, unit)).collect();
    let intent = &row.intent;
    OutboxRow {
        id,
        aggregate_type: intent.aggregate_type.clone(),
        aggregate_id: intent.aggregate_id.clone(),
        event_type: intent.event_type.clone(),
        event_version: intent.event_version,
        payload: intent.payload.clone(),
        headers_json: row.headers_json.clone(),
        destination: intent.destination.clone(),
        created_at: row.created_at,
        status: status_of(&units),
        attempts: units.iter().map(|unit| unit.attempts).max().unwrap_or(0),
        next_attempt_at: units.iter().filter_map(|unit| unit.next_attempt_at).min(),
        failure: units.iter().find_map(|unit| unit.failure.clone()),
        cause: intent.cause,
        reply_to: intent.reply_to.clone(),
        held_behind: units.iter().find_map(|unit| unit.held_behind),
        skipped: is_given_up(&units),
        resend_of: None,
    }
}

/// A row of OUTBOX_RECORD; `None` for the unit of an intent without records.
pub(crate) fn record_row(outbox: &OutboxTables, id: OutboxId, unit: &UnitRow) -> Option<RecordRow> {
    let standing = standing(outbox, id);
    Some(RecordRow {
        id,
        intent: unit.intent,
        destination: unit.lane.destination.clone(),
        record: unit.record.clone()?,
        status: standing.status,
        attempts: standing.attempts,
        next_attempt_at: standing.next_attempt_at,
        failure: standing.failure,
        external_ref: standing.external_ref,
        held_behind: standing.held_behind,
        skipped: standing.skipped,
    })
}

/// True when an intent is settled: all of it reached its destination, or was given up.
pub(crate) fn is_settled(outbox: &OutboxTables, intent: OutboxId) -> bool {
    let mut units = outbox.units_of(intent).map(|(unit, _)| standing(outbox, unit));
    units.all(|unit| unit.status == OutboxStatus::Dispatched || unit.skipped)
}

/// Where a unit stands.
struct Standing {
    status: OutboxStatus,
    attempts: u32,
    next_attempt_at: Option<Timestamp>,
    failure: Option<Failure>,
    external_ref: Option<String>,
    held_behind: Option<OutboxId>,
    skipped: bool,
}

fn standing(outbox: &OutboxTables, unit: OutboxId) -> Standing {
    let mut standing = Standing {
        status: OutboxStatus::Pending,
        attempts: 0,
        next_attempt_at: None,
        failure: None,
        external_ref: None,
        held_behind: None,
        skipped: false,
    };
    if let Some(external_ref) = outbox.done.get(&unit) {
        standing.status = OutboxStatus::Dispatched;
        standing.attempts = 1;
        standing.external_ref.clone_from(external_ref);
    } else if let Some(row) = outbox.exceptions.get(unit) {
        standing.status = row.columns.status;
        standing.attempts = row.attempts;
        standing.next_attempt_at = row.due;
        standing.failure.clone_from(&row.failure);
        standing.external_ref.clone_from(&row.columns.external_ref);
        standing.held_behind = outbox.blocks.held_behind(row);
        standing.skipped = row.columns.skipped;
    }
    standing
}

/// True when something failed, and all that did was given up.
fn is_given_up(units: &[Standing]) -> bool {
    let mut failed = units.iter().filter(|unit| unit.status == OutboxStatus::Failed).peekable();
    failed.peek().is_some() && failed.all(|unit| unit.skipped)
}

/// Pending while one of them is, failed when one is.
fn status_of(units: &[Standing]) -> OutboxStatus {
    let any = |status| units.iter().any(|unit| unit.status == status);
    if any(OutboxStatus::Pending) {
        OutboxStatus::Pending
    } else if any(OutboxStatus::Failed) {
        OutboxStatus::Failed
    } else {
        OutboxStatus::Dispatched
    }
}
