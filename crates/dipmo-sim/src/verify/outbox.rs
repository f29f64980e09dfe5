//! Every note that was taken put into the outbox what it should, once, and all of it ended.

use std::collections::{BTreeMap, BTreeSet};

use dipmo_domain::{InboxId, InboxStatus, OutboxStatus, Outcome};
use dipmo_inbox::InboxRow;
use dipmo_outbox::OutboxRow;
use dipmo_processing::OnFailure;
use dipmo_store::DeadLetters;

use super::end::{End, Unit, payload};
use crate::sim::Sim;
use crate::world::{Note, expected_intents};

pub(super) fn check(sim: &Sim, end: &End) -> Result<(), String> {
    let mut by_cause: BTreeMap<Option<InboxId>, Vec<&OutboxRow>> = BTreeMap::new();
    for intent in end.intents.values() {
        by_cause.entry(intent.cause).or_default().push(intent);
    }
    for row in end.messages.values() {
        let intents = by_cause.remove(&Some(row.message.id)).unwrap_or_default();
        let (letters, intents): (Vec<_>, Vec<_>) = intents
            .into_iter()
            .partition(|intent| intent.aggregate_type == DeadLetters::AGGREGATE_TYPE);
        letters_of(sim, row, &letters)?;
        intents_of(end, row, &intents)?;
    }
    if let Some((cause, intents)) = by_cause.first_key_value() {
        return Err(format!("nobody asked for {intents:?}, caused by {cause:?}"));
    }
    end.units().try_for_each(|unit| unit_ended(sim, end, unit))?;
    end.intents.values().try_for_each(|intent| outcome_told(sim, end, intent))
}

/// One letter for each time that it failed for good, where letters are written.
fn letters_of(sim: &Sim, row: &InboxRow, letters: &[&OutboxRow]) -> Result<(), String> {
    let topic = &row.message.topic;
    let is_mirrored = sim.options.engine.worker.dead_letters.is_some() && !topic.contains(':');
    let expected = if is_mirrored { sim.witness().failures(row.message.id) } else { 0 };
    let to = format!("KAFKA:{topic}-dlt");
    if letters.len() == expected && letters.iter().all(|it| it.destination.to_string() == to) {
        return Ok(());
    }
    Err(format!("message {} failed {expected} times, and has {letters:?}", row.message.id))
}

/// Exactly what the note says, and only if it was taken.
fn intents_of(end: &End, row: &InboxRow, intents: &[&OutboxRow]) -> Result<(), String> {
    let is_note = matches!(row.message.topic.as_str(), "strict" | "loose");
    let expected = if is_note && row.outcome == Some(Outcome::Done) {
        let note: Note = payload(row)?;
        expected_intents(note.n, &note.sends)
    } else {
        Vec::new()
    };
    let fits = expected.len() == intents.len()
        && expected.iter().zip(intents).all(|(expected, found)| {
            let records = end.records.get(&found.id).into_iter().flatten();
            let records: Vec<_> = records.map(|row| row.record.clone()).collect();
            expected.destination == found.destination
                && expected.event_type == found.event_type
                && expected.records == records
                && expected.outcome == found.reply_to.is_some()
        });
    if fits {
        return Ok(());
    }
    Err(format!("message {} should have sent {expected:?}, and sent {intents:?}", row.message.id))
}

fn unit_ended(sim: &Sim, end: &End, unit: Unit<'_>) -> Result<(), String> {
    let (id, to) = (unit.id, unit.intent.destination.to_string());
    let problem = |problem: &str| Err(format!("unit {id} to {to}: {problem}"));
    if unit.skipped != sim.outside().was_skipped(id) {
        return problem("an operator gave it up, or nobody did");
    }
    match unit.status {
        OutboxStatus::Dispatched if to == "INTERNAL:mirror" => {
            let name = format!("outbox:{}", id.0);
            let came = |row: &&InboxRow| {
                row.message.source_system == "internal" && row.message.message_id == name
            };
            if end.messages.values().filter(came).count() == 1 {
                Ok(())
            } else {
                problem("it is not in the inbox")
            }
        }
        OutboxStatus::Dispatched => Ok(()),
        OutboxStatus::Failed => {
            let tried_enough = unit.attempts > sim.options.delivery_retries;
            let outside = sim.outside();
            if tried_enough || outside.was_refused(id) || outside.was_set_back(id) {
                Ok(())
            } else {
                problem("it failed, and nobody refused it")
            }
        }
        OutboxStatus::Pending if sim.options.on_refusal == OnFailure::Block => Ok(()),
        OutboxStatus::Pending => problem("nothing may be held"),
    }
}

/// Whoever wants to hear of an intent hears of it once each time that all of it has ended: again
/// only after an operator retried what failed of it.
fn outcome_told(sim: &Sim, end: &End, intent: &OutboxRow) -> Result<(), String> {
    let name = format!("outbox:{}", intent.id.0);
    let mut told: BTreeMap<u32, &InboxRow> = BTreeMap::new();
    for row in end.messages.values().filter(|row| row.message.source_system == "outcome") {
        let rest = row.message.message_id.strip_prefix(&name);
        let retries = match rest.map(|rest| rest.strip_prefix(':').unwrap_or(rest)) {
            Some("") => Some(0),
            Some(number) => number.parse().ok(),
            None => None,
        };
        // The name of one intent may begin with that of another.
        let is_whole = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        if let Some(retries) = retries.filter(|_| is_whole) {
            told.insert(retries, row);
        }
    }
    let heard: BTreeSet<u32> = told.keys().copied().collect();
    let ends = sim.outside().ends(intent.id);
    if heard != if intent.reply_to.is_some() { ends.clone() } else { BTreeSet::new() } {
        return Err(format!("{name} ended after {ends:?} retries, and was told after {heard:?}"));
    }
    let retries = sim.outside().retries(intent.id);
    let units: BTreeSet<_> =
        end.units().filter(|unit| unit.intent.id == intent.id).map(|unit| unit.status).collect();
    let has_ended = intent.reply_to.is_some() && !units.contains(&OutboxStatus::Pending);
    let last = told.remove(&retries);
    if last.is_some() != has_ended {
        return Err(format!("{name} after {retries} retries was told as {last:?}"));
    }
    let failed = units.contains(&OutboxStatus::Failed);
    if let Some(last) = last {
        fits(intent, last, failed)?;
    }
    // Something had failed each time before, or nobody would have retried it.
    told.into_values().try_for_each(|row| fits(intent, row, true))
}

fn fits(intent: &OutboxRow, told: &InboxRow, failed: bool) -> Result<(), String> {
    let event_type = if failed { "DeliveryFailed" } else { "Delivered" };
    let to = intent.reply_to.as_ref();
    let fits = told.message.event_type.as_deref() == Some(event_type)
        && told.message.aggregate_id.as_ref() == to.map(|to| &to.id)
        && Some(told.message.topic.clone()) == to.map(|to| format!("outcome:{}", to.process))
        && matches!(told.status, InboxStatus::Processed | InboxStatus::Received);
    if fits { Ok(()) } else { Err(format!("{} was told as {told:?}", intent.id)) }
}
