//! What records would do.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use dipmo::wiring::rehearsal::{Met, Rehearsal, Rehearsed, record, why};
use dipmo_api::{Advanced, DomainWrite, ErasedOutcome, TimerChange, WriteTarget};
use dipmo_config::Loaded;
use dipmo_domain::{Coded as _, Value as Cell};
use serde_json::{Map, Value, json};

use super::{Args, said};
use crate::console::err;

/// Lets the records of a file come, one after the other.
pub(super) fn run(args: &Args, loaded: &Loaded, path: &Path) -> Result<ExitCode> {
    let mut rehearsal = match Rehearsal::new(loaded) {
        Ok(rehearsal) => rehearsal,
        Err(problems) => return Ok(said(args, &problems, &loaded.files, &[])),
    };
    let file = std::fs::File::open(path)
        .with_context(|| format!("cannot read the records of {}", path.display()))?;
    let (mut heard, mut wrong) = (0, 0);
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.with_context(|| format!("cannot read on in {}", path.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        let at = number + 1;
        match record(&line, i64::try_from(number).unwrap_or(i64::MAX)) {
            Ok(record) => {
                heard += 1;
                print(args, at, &rehearsal.hear(record));
            }
            Err(error) => {
                wrong += 1;
                err(&format!("{}:{at}: {error}", path.display()));
            }
        }
    }
    if heard == 0 && wrong == 0 {
        err(&format!("{} has no records", path.display()));
    }
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(args: &Args, line: usize, rehearsed: &Rehearsed) {
    args.output.format.print(|| text(line, rehearsed), || as_json(line, rehearsed));
}

/// For people: a line for the record, and one for each of its effects.
fn text(line: usize, rehearsed: &Rehearsed) -> String {
    let message = &rehearsed.message;
    let event = message.event_type.as_deref().unwrap_or("no event type");
    let mut text = format!("{line}: {event} of {} ", message.topic);
    // Writing to a String cannot fail.
    let _ = match &rehearsed.outcome {
        Met::Undecodable(failure) => {
            write!(text, "→ SERDE_ERROR {}: {}", failure.code(), failure.message())
        }
        Met::Known(before) => write!(text, "→ came before as record {before}: deduplicated"),
        Met::Ignored => write!(text, "→ IGNORED: no process takes it"),
        Met::Handled => write!(text, "→ a handler takes it: what that does is not rehearsed"),
        Met::Refused(refusal) => write!(text, "→ FAILED {}: {refusal}", refusal.code()),
        Met::Decided { process, instance, from, outcome, unknown_facts } => {
            let _ = write!(text, "→ {process} {instance}: {}", decided(from, outcome));
            for fact in unknown_facts {
                let _ = write!(text, "\n     without the fact {fact}: its query was not asked");
            }
            Ok(())
        }
    };
    text
}

fn decided(from: &str, outcome: &ErasedOutcome) -> String {
    match outcome {
        ErasedOutcome::Advance(step) => {
            let path = step.path.join(" → ");
            let effects: String = effects(step).iter().map(|it| format!("\n     {it}")).collect();
            format!("{from} → {path}{effects}")
        }
        ErasedOutcome::Stay(stay) => format!("stays in {from}, {}", why(*stay)),
        ErasedOutcome::Park(park) => {
            format!("waits for version {} for {:?}", park.until_version, park.timeout)
        }
        ErasedOutcome::Retry(failure) => {
            format!("would be retried, {}: {}", failure.code(), failure.message())
        }
        ErasedOutcome::Reject(failure) => {
            format!("FAILED {}: {}", failure.code(), failure.message())
        }
    }
}

fn effects(step: &Advanced) -> Vec<String> {
    let mut effects = vec![format!("remembers {}", step.data.as_str())];
    effects.extend(step.writes.iter().map(|write| {
        let (verb, name) = target(write);
        format!("{verb} {name} {}", Value::Object(cells(write)))
    }));
    effects.extend(step.intents.iter().map(|intent| {
        let (event, to, payload) = (&intent.event_type, &intent.destination, &intent.payload);
        let records = match intent.records.len() {
            0 => String::new(),
            count => format!(" about {count} records"),
        };
        format!("sends {event} to {to}{records} {}", payload.as_str())
    }));
    effects.extend(step.timers.iter().map(|timer| match timer {
        TimerChange::Set { name, after, event_type, .. } => {
            format!("sets the timer {name}: {event_type} after {after:?}")
        }
        TimerChange::Cancel { name } => format!("cancels the timer {name}"),
    }));
    let failure = step.failure.as_ref();
    effects.extend(failure.map(|it| format!("fails with {}: {}", it.code(), it.message())));
    effects
}

fn target(write: &DomainWrite) -> (&'static str, &'static str) {
    match write.target() {
        WriteTarget::Upsert(table) => ("writes", table.name),
        WriteTarget::Delete(table) => ("deletes", table.name),
        WriteTarget::Run(statement) => ("runs", statement.name()),
    }
}

fn cells(write: &DomainWrite) -> Map<String, Value> {
    let names: Vec<&str> = match write.target() {
        WriteTarget::Run(statement) => statement.parameters().iter().map(|it| it.0).collect(),
        WriteTarget::Upsert(_) | WriteTarget::Delete(_) => write.columns(),
    };
    let cell = |name: &&str| Some(((*name).to_owned(), shown(write.value(name)?)));
    names.iter().filter_map(cell).collect()
}

fn shown(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Text(text) => json!(text),
        Cell::Integer(number) => json!(number),
        Cell::Boolean(truth) => json!(truth),
        Cell::Timestamp(time) => json!(time.to_string()),
        Cell::Json(json) => json.read().unwrap_or(Value::Null),
    }
}

/// For machines: one object a record.
fn as_json(line: usize, rehearsed: &Rehearsed) -> Value {
    let message = &rehearsed.message;
    let mut object = json!({
        "line": line,
        "topic": message.topic,
        "event": message.event_type,
        "messageId": message.message_id,
    });
    let more = match &rehearsed.outcome {
        Met::Undecodable(it) => {
            json!({ "outcome": "SERDE_ERROR", "code": it.code(), "message": it.message() })
        }
        Met::Known(before) => json!({ "outcome": "duplicate", "of": before }),
        Met::Ignored => json!({ "outcome": "ignored" }),
        Met::Handled => json!({ "outcome": "handled" }),
        Met::Refused(it) => {
            json!({ "outcome": "failed", "code": it.code().as_str(), "message": it.to_string() })
        }
        Met::Decided { process, instance, from, outcome, .. } => {
            let mut decided = json!({ "process": process, "instance": instance, "from": from });
            merge(&mut decided, outcome_json(outcome));
            decided
        }
    };
    merge(&mut object, more);
    object
}

fn outcome_json(outcome: &ErasedOutcome) -> Value {
    match outcome {
        ErasedOutcome::Advance(step) => {
            let writes = step.writes.iter().map(|write| {
                let (verb, name) = target(write);
                json!({ verb: name, "set": cells(write) })
            });
            let sends = step.intents.iter().map(|intent| {
                json!({
                    "event": intent.event_type,
                    "to": intent.destination.to_string(),
                    "payload": intent.payload.read::<Value>().unwrap_or(Value::Null),
                    "records": intent.records.iter().map(|key| &key.0).collect::<Vec<_>>(),
                })
            });
            let timers = step.timers.iter().map(|timer| match timer {
                TimerChange::Set { name, after, event_type, .. } => {
                    json!({ "set": name, "event": event_type, "afterSeconds": after.as_secs_f64() })
                }
                TimerChange::Cancel { name } => json!({ "cancel": name }),
            });
            json!({
                "outcome": "goes",
                "path": step.path,
                "data": step.data.read::<Value>().unwrap_or(Value::Null),
                "writes": writes.collect::<Vec<_>>(),
                "sends": sends.collect::<Vec<_>>(),
                "timers": timers.collect::<Vec<_>>(),
                "fails": step.failure.as_ref().map(dipmo_domain::Failure::code),
            })
        }
        ErasedOutcome::Stay(stay) => json!({ "outcome": "stays", "why": why(*stay) }),
        ErasedOutcome::Park(park) => json!({ "outcome": "parks", "until": park.until_version }),
        ErasedOutcome::Retry(it) => {
            json!({ "outcome": "retries", "code": it.code(), "message": it.message() })
        }
        ErasedOutcome::Reject(it) => {
            json!({ "outcome": "failed", "code": it.code(), "message": it.message() })
        }
    }
}

fn merge(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}
