//! Outcomes in one line each, for people who read why a test failed.

use dipmo_domain::{Failure, Value};

use super::world::Met;
use crate::{Advanced, DomainWrite, ErasedOutcome, Intent, TimerChange, WriteTarget};

pub(super) fn met(met: &Met) -> String {
    match met {
        Met::Ignored => "the message was ignored: nobody reads it".to_owned(),
        Met::Refused(refusal) => format!("dipmo refused: {}", failure(&refusal.into())),
        Met::Decided(outcome) => decided(outcome),
    }
}

fn decided(outcome: &ErasedOutcome) -> String {
    match outcome {
        ErasedOutcome::Advance(advanced) => format!("it advanced to {}", advanced.path.join(", ")),
        ErasedOutcome::Stay(why) => format!("it stayed: {why:?}"),
        ErasedOutcome::Park(park) => {
            format!("it was parked until version {} at most {:?}", park.until_version, park.timeout)
        }
        ErasedOutcome::Retry(why) => format!("it wants a retry: {}", failure(why)),
        ErasedOutcome::Reject(why) => format!("it rejected: {}", failure(why)),
    }
}

fn failure(failure: &Failure) -> String {
    format!("[{}] {}", failure.code(), failure.message())
}

/// `KAFKA:hit-events HitQualified`.
pub(super) fn intents(advanced: &Advanced) -> Vec<String> {
    let show = |intent: &Intent| format!("{} {}", intent.destination, intent.event_type);
    advanced.intents.iter().map(show).collect()
}

/// `upsert HITS H-1`: the table and the natural key; `run close_others C-1 H-1`: the statement and
/// the values of its parameters.
pub(super) fn writes(advanced: &Advanced) -> Vec<String> {
    let show = |write: &DomainWrite| {
        let what = match write.target() {
            WriteTarget::Upsert(table) => format!("upsert {}", table.name),
            WriteTarget::Delete(table) => format!("delete {}", table.name),
            WriteTarget::Run(statement) => format!("run {}", statement.name()),
        };
        std::iter::once(what).chain(write.key().iter().map(value)).collect::<Vec<_>>().join(" ")
    };
    advanced.writes.iter().map(show).collect()
}

/// `set review-overdue` or `cancel review-overdue`.
pub(super) fn timers(advanced: &Advanced) -> Vec<String> {
    let show = |timer: &TimerChange| match timer {
        TimerChange::Set { name, .. } => format!("set {name}"),
        TimerChange::Cancel { name } => format!("cancel {name}"),
    };
    advanced.timers.iter().map(show).collect()
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Timestamp(time) => time.to_string(),
        Value::Json(json) => json.as_str().to_owned(),
    }
}
