//! Every message of the book is there once, and ended as it should.

use std::collections::BTreeMap;

use dipmo_domain::{InboxStatus, Outcome};
use dipmo_inbox::InboxRow;
use dipmo_processing::OnFailure;

use super::end::{End, payload};
use crate::options::RETRIES;
use crate::sim::Sim;
use crate::world::{Act, AuditAct, Book, Note, SOURCE};

pub(super) fn check(sim: &Sim, end: &End, book: &Book) -> Result<(), String> {
    let sent = book.entries.iter().filter(|entry| !entry.conflict);
    let sent: BTreeMap<&str, _> =
        sent.map(|entry| (entry.message.message_id.as_str(), entry)).collect();
    let stored: Vec<_> =
        end.messages.values().filter(|row| row.message.source_system == SOURCE).collect();
    if stored.len() != sent.len() {
        return Err(format!("{} of {} messages are in the inbox", stored.len(), sent.len()));
    }
    for row in stored {
        let entry = sent.get(row.message.message_id.as_str());
        let entry = entry.ok_or_else(|| format!("{} was never sent", row.message.message_id))?;
        if entry.message.source_version != row.message.source_version {
            return Err(format!("{} has another version", row.message.message_id));
        }
    }
    end.messages.values().try_for_each(|row| {
        ended(sim, end, row).map_err(|problem| {
            let InboxRow { message, status, outcome, attempts, failure, .. } = row;
            format!(
                "message {} {} on {} is {status} {outcome:?} after {attempts} attempts \
                 ({failure:?}): {problem}",
                message.id, message.message_id, message.topic
            )
        })
    })
}

fn ended(sim: &Sim, end: &End, row: &InboxRow) -> Result<(), String> {
    let skipped = sim.witness().was_skipped(row.message.id);
    if skipped || row.outcome == Some(Outcome::Skipped) {
        let ended = row.status == InboxStatus::Processed && row.outcome == Some(Outcome::Skipped);
        return expect(skipped && ended, "an operator skipped it, or nobody did");
    }
    if row.status == InboxStatus::SerdeError {
        return expect(row.message.raw_payload_base64.is_some(), "it can be decoded");
    }
    if sim.witness().was_duplicate(row.message.id) {
        return expect(row.outcome == Some(Outcome::Duplicate), "it is another one");
    }
    if end.is_held(row) {
        let head = row.held_behind.and_then(|head| end.messages.get(&head));
        let garbled = head.is_some_and(|head| head.status == InboxStatus::SerdeError);
        let may_be = garbled || sim.options.on_failure == OnFailure::Block;
        return expect(may_be, "nothing may be held");
    }
    match row.message.topic.as_str() {
        "nowhere" => expect(row.outcome == Some(Outcome::Ignored), "nobody takes it"),
        "audit" => audit(row, payload(row)?),
        "strict" | "loose" => note(row, &payload(row)?),
        _ => expect(row.outcome == Some(Outcome::Done), "it must have been processed"),
    }
}

fn audit(row: &InboxRow, act: AuditAct) -> Result<(), String> {
    let code = match act {
        AuditAct::Count => {
            return expect(row.outcome == Some(Outcome::Done), "it must have been counted");
        }
        AuditAct::Reject => "sim-rejected",
        AuditAct::Panic => "handler-panicked",
    };
    expect(failed_with(row) == Some(code), "it must have failed otherwise")
}

/// A note ended by itself; whether its version was right is seen with its account.
fn note(row: &InboxRow, note: &Note) -> Result<(), String> {
    if failed_with(row) == Some("version-missing") || row.outcome == Some(Outcome::Stale) {
        return expect(row.message.source_version.is_some(), "it has no version");
    }
    match note.act.works_after(RETRIES) {
        Some(failures) => {
            expect(row.outcome == Some(Outcome::Done), "it must have been taken")?;
            expect(row.attempts == failures + 1, "that is not how often it had to be tried")
        }
        None => {
            expect(failed_with(row) == Some(note.act.code()), "it must have failed otherwise")?;
            let tries = if matches!(note.act, Act::RetryFirst(_)) { RETRIES + 1 } else { 1 };
            expect(row.attempts == tries, "that is not how often it had to be tried")
        }
    }
}

fn failed_with(row: &InboxRow) -> Option<&str> {
    let failure = row.failure.as_ref().filter(|_| row.status == InboxStatus::Failed);
    failure.map(dipmo_domain::Failure::code)
}

fn expect(holds: bool, problem: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem.to_owned()) }
}
