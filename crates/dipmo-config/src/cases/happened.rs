//! What a message did, as trees in the words of a case.

use dipmo_api::{
    Advanced, DomainWrite, ErasedOutcome, Intent, Refusal, Stay, TimerChange, WriteTarget,
};
use dipmo_domain::{Coded as _, Json, Value as Cell};
use serde_json::{Value, json};

use super::plain::{Plain, PlainKind};
use super::wanted::duration;

/// What became of a message.
#[derive(Clone, Debug)]
pub(crate) enum Met {
    /// Nobody listens to it.
    Ignored,
    /// dipmo refused it.
    Refused(Refusal),
    /// The process decided.
    Decided(ErasedOutcome),
}

impl Met {
    /// Key and value of what happened, the outcome first.
    pub(super) fn trees(&self) -> Vec<(&'static str, Plain)> {
        match self {
            Self::Ignored => vec![("ignores", Plain::leaf(true))],
            Self::Refused(refusal) => vec![("refuses", Plain::leaf(refusal.code().as_str()))],
            Self::Decided(outcome) => decided(outcome),
        }
    }

    /// Why, in words, where somebody said so.
    pub(super) fn why(&self) -> Option<String> {
        match self {
            Self::Refused(refusal) => Some(refusal.to_string()),
            Self::Decided(ErasedOutcome::Retry(failure) | ErasedOutcome::Reject(failure)) => {
                Some(failure.message().to_owned()).filter(|message| !message.is_empty())
            }
            Self::Ignored => Some("the process does not listen to it on this topic".to_owned()),
            Self::Decided(_) => None,
        }
    }
}

fn decided(outcome: &ErasedOutcome) -> Vec<(&'static str, Plain)> {
    match outcome {
        ErasedOutcome::Advance(advanced) => went(advanced),
        ErasedOutcome::Stay(why) => vec![("stays", Plain::leaf(stay(*why)))],
        ErasedOutcome::Park(park) => vec![("parks", Plain::leaf(park.until_version))],
        ErasedOutcome::Retry(failure) => vec![("retries", Plain::leaf(failure.code()))],
        ErasedOutcome::Reject(failure) => vec![("rejects", Plain::leaf(failure.code()))],
    }
}

const fn stay(why: Stay) -> &'static str {
    match why {
        Stay::Duplicate => "duplicate",
        Stay::Stale => "stale",
        Stay::Nothing => "nothing",
    }
}

fn went(advanced: &Advanced) -> Vec<(&'static str, Plain)> {
    let path = advanced.path.iter().map(|state| Plain::leaf(*state));
    let mut all = vec![
        ("goes", list(path)),
        ("data", document(&advanced.data)),
        ("writes", list(advanced.writes.iter().map(written))),
        ("sends", list(advanced.intents.iter().map(sent))),
        ("timers", list(advanced.timers.iter().map(timed))),
    ];
    let failure = advanced.failure.as_ref();
    all.extend(failure.map(|failure| ("fails", Plain::leaf(failure.code()))));
    all
}

fn written(write: &DomainWrite) -> Plain {
    let (key, name, values) = match write.target() {
        WriteTarget::Upsert(table) => ("upsert", table.name, write.columns()),
        WriteTarget::Delete(table) => ("delete", table.name, write.columns()),
        WriteTarget::Run(statement) => {
            let parameters = statement.parameters().iter().map(|(name, _)| *name);
            ("statement", statement.name(), parameters.collect())
        }
    };
    let set = if key == "statement" { "with" } else { "set" };
    let value = |name: &str| write.value(name).map_or_else(|| Plain::leaf(Value::Null), cell);
    let values = values.into_iter().map(|name| (name.to_owned(), value(name)));
    let values = Plain::found(PlainKind::Map(values.collect()));
    map([(key, Plain::leaf(name)), (set, values)])
}

fn sent(intent: &Intent) -> Plain {
    let records = intent.records.iter().map(|record| Plain::leaf(record.0.as_str()));
    let headers = intent.headers.as_slice().iter().map(|header| {
        let text = intent.headers.text(&header.name).unwrap_or_default();
        (header.name.clone(), Plain::leaf(text))
    });
    map([
        ("to", Plain::leaf(intent.destination.to_string())),
        ("event", Plain::leaf(intent.event_type.as_str())),
        ("version", Plain::leaf(intent.event_version)),
        ("aggregate_type", Plain::leaf(intent.aggregate_type.as_str())),
        ("aggregate_id", Plain::leaf(intent.aggregate_id.as_str())),
        ("records", list(records)),
        ("payload", document(&intent.payload)),
        ("headers", Plain::found(PlainKind::Map(headers.collect()))),
        ("expects_outcome", Plain::leaf(intent.expects_outcome)),
    ])
}

fn timed(timer: &TimerChange) -> Plain {
    match timer {
        TimerChange::Set { name, after, event_type, payload } => map([
            ("set", Plain::leaf(*name)),
            ("after", Plain::leaf(duration(*after))),
            ("event", Plain::leaf(*event_type)),
            ("payload", document(payload)),
        ]),
        TimerChange::Cancel { name } => map([("cancel", Plain::leaf(*name))]),
    }
}

fn cell(cell: &Cell) -> Plain {
    match cell {
        Cell::Null => Plain::leaf(Value::Null),
        Cell::Text(text) => Plain::leaf(text.as_str()),
        Cell::Integer(number) => Plain::leaf(*number),
        Cell::Boolean(truth) => Plain::leaf(*truth),
        Cell::Timestamp(time) => Plain::found(PlainKind::Moment(*time)),
        Cell::Json(json) => document(json),
    }
}

fn document(document: &Json) -> Plain {
    // What cannot be read is shown as it is.
    document.read::<Value>().unwrap_or_else(|_| json!(document.as_str())).into()
}

fn list(items: impl Iterator<Item = Plain>) -> Plain {
    Plain::found(PlainKind::List(items.collect()))
}

fn map<const N: usize>(entries: [(&str, Plain); N]) -> Plain {
    let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value));
    Plain::found(PlainKind::Map(entries.collect()))
}
