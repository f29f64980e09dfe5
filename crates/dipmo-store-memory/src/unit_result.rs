//! What the result of a unit changes in its row.

use dipmo_domain::{Failure, OutboxStatus, Timestamp};
use dipmo_outbox::UnitResult;

use crate::blocks::Fate;
use crate::exceptions::Exception;
use crate::side::OutboxSide;

/// True for what may be settled as tried again: it waits, and was not retried by an operator since
/// it was read.
pub(crate) fn is_open(row: &Exception<OutboxSide>, retried: u32) -> bool {
    row.columns.status == OutboxStatus::Pending && !row.held && row.retried == retried
}

/// The row after a result.
pub(crate) fn changed(
    mut row: Exception<OutboxSide>,
    result: &UnitResult,
    now: Timestamp,
) -> Exception<OutboxSide> {
    match result {
        UnitResult::Dispatched { external_ref } => {
            row.tried();
            row.columns.status = OutboxStatus::Dispatched;
            row.columns.external_ref.clone_from(external_ref);
        }
        UnitResult::Retry { after, failure } => {
            fail(&mut row, OutboxStatus::Pending, failure);
            row.due = Some(now.after(*after));
        }
        UnitResult::Unanswered { after, failure } => {
            row.failure = Some(failure.clone());
            row.due = Some(now.after(*after));
        }
        UnitResult::Held => row.hold(),
        UnitResult::Later => row.due = Some(now),
        UnitResult::InJob(_) => row.due = None,
        UnitResult::Failed { failure, .. } => fail(&mut row, OutboxStatus::Failed, failure),
    }
    row
}

fn fail(row: &mut Exception<OutboxSide>, status: OutboxStatus, failure: &Failure) {
    row.tried();
    row.failure = Some(failure.clone());
    row.columns.status = status;
}

/// What a result means for the order key of its unit.
pub(crate) const fn fate(result: &UnitResult) -> Fate {
    match result {
        UnitResult::Retry { .. }
        | UnitResult::Unanswered { .. }
        | UnitResult::Later
        | UnitResult::Failed { block: true, .. } => Fate::Blocks,
        UnitResult::Dispatched { .. } | UnitResult::Failed { block: false, .. } => Fate::Ends,
        UnitResult::Held | UnitResult::InJob(_) => Fate::Waits,
    }
}
