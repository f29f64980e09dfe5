//! Tells the log of what failed for good: by id and code, never what was in it.
//!
//! Told are rows that were written, so that each of them can be looked up.

use dipmo_domain::{Code, Destination, InboxId};
use dipmo_outbox::{UnitResult, UnitSettlement};

/// So many of one transaction are told one by one: poison comes in floods.
const MOST: usize = 10;

/// Messages of a batch that was committed, with the codes of their failures.
pub(crate) fn failed_messages(failed: &[(InboxId, String)]) {
    for (inbox_id, code) in failed.iter().take(MOST) {
        tracing::warn!(%inbox_id, code, "a message failed: a person is needed");
    }
    if let Some(more) = failed.len().checked_sub(MOST).filter(|more| *more > 0) {
        tracing::warn!(more, "more messages of the same batch failed");
    }
}

/// Units that were settled.
pub(crate) fn failed_units(destination: &Destination, units: &[UnitSettlement]) {
    let failed = units.iter().filter_map(|unit| match &unit.result {
        UnitResult::Failed { failure, .. } => Some((unit.delivery.unit, failure)),
        _ => None,
    });
    for (outbox_id, failure) in failed.clone().take(MOST) {
        let code = failure.code();
        tracing::warn!(%outbox_id, %destination, code, "a unit was refused: a person is needed");
    }
    if let Some(more) = failed.count().checked_sub(MOST).filter(|more| *more > 0) {
        tracing::warn!(more, %destination, "more units were refused at once");
    }
}

/// Messages that could not be decoded again because the decoder panicked.
pub(crate) fn decoder_panicked(messages: &[InboxId]) {
    let code = Code::new("record-decoder-panicked").as_str();
    for inbox_id in messages.iter().take(MOST) {
        tracing::error!(%inbox_id, code, "decoding a message again panicked");
    }
    if let Some(more) = messages.len().checked_sub(MOST).filter(|more| *more > 0) {
        tracing::error!(more, code, "decoding more messages of the same batch panicked");
    }
}
