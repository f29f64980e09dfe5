//! A story: the records of one aggregate, when they are sent, and what must come of them.

use std::time::Duration;

use dipmo_domain::Outcome;
use dipmo_inbox::{Identity, NewMessage, Record, Stored};
use serde_json::Value;

use crate::demo::book::{Ending, Fate, Promise};

/// The records of one aggregate, and the promise about them.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) promise: Promise,
    pub(crate) sends: Vec<Send>,
    /// Whether its records may come in any order: each has a version, and early ones wait.
    pub(crate) any_order: bool,
    topic: &'static str,
    source: &'static str,
}

/// One record that is sent.
#[derive(Clone, Debug)]
pub(crate) struct Send {
    /// How long after the beginning of its story.
    pub(crate) after: Duration,
    /// What the inbox must answer.
    pub(crate) answer: Answer,
    record: Record,
    identity: Identity,
}

/// What the inbox answers to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    New,
    Duplicate,
    Conflict,
}

impl Answer {
    pub(crate) const fn of(stored: &Stored) -> Self {
        match stored {
            Stored::New(_) => Self::New,
            Stored::Duplicate(_) => Self::Duplicate,
            Stored::Conflict(_) => Self::Conflict,
        }
    }
}

impl Send {
    pub(crate) fn id(&self) -> &str {
        self.identity.message_id.as_deref().unwrap_or_default()
    }

    /// The record as it goes over the wire.
    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    /// Whether another part of the program sends it, and not a system outside.
    pub(crate) fn is_from_inside(&self) -> bool {
        self.record.topic.starts_with("internal:")
    }

    /// What the sender tells of it in headers.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&'static str, String)> {
        let Identity { message_id, event_type, source_version, .. } = &self.identity;
        let headers = [
            ("message-id", message_id.clone()),
            ("event-type", event_type.clone()),
            ("source-version", source_version.map(|version| version.to_string())),
        ];
        headers.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }

    /// As the part of the program stores it that sends it itself.
    pub(crate) fn message(&self, offset: i64) -> NewMessage {
        let record = Record { offset, ..self.record.clone() };
        NewMessage::from_record(&record, &self.identity)
    }

    /// The same record once more.
    pub(crate) fn again(&self, after: Duration) -> Self {
        Self { after, answer: Answer::Duplicate, ..self.clone() }
    }

    /// Something else under the same id.
    pub(crate) fn forged(&self, after: Duration) -> Self {
        let value = Some(br#"{"forged":true}"#.to_vec());
        let record = Record { value, ..self.record.clone() };
        Self { after, answer: Answer::Conflict, record, identity: self.identity.clone() }
    }
}

impl Story {
    pub(crate) fn new(
        plot: &'static str,
        process: &'static str,
        aggregate: String,
        (topic, source): (&'static str, &'static str),
    ) -> Self {
        let promise = Promise { plot, process, aggregate, endings: vec![Ending::default()] };
        Self { promise, sends: Vec::new(), any_order: false, topic, source }
    }

    /// Sends an event with a payload; answers its id.
    pub(crate) fn tell(
        &mut self,
        after: u64,
        event_type: &str,
        version: Option<i64>,
        payload: &Value,
        fate: Fate,
    ) -> String {
        let value = Some(payload.to_string().into_bytes());
        self.send(after, Some(event_type), version, value, fate)
    }

    /// Sends any bytes, or a tombstone; answers the id.
    pub(crate) fn send(
        &mut self,
        after: u64,
        event_type: Option<&str>,
        version: Option<i64>,
        value: Option<Vec<u8>>,
        fate: Fate,
    ) -> String {
        let aggregate = self.promise.aggregate.clone();
        let id = format!("{aggregate}/{}", self.sends.len() + 1);
        let record = Record {
            topic: self.topic.to_owned(),
            key: Some(aggregate.clone().into_bytes()),
            timestamp_millis: -1,
            value,
            ..Record::default()
        };
        let identity = Identity {
            source_system: self.source.to_owned(),
            message_id: Some(id.clone()),
            aggregate_id: Some(aggregate),
            event_type: event_type.map(str::to_owned),
            event_version: None,
            source_version: version,
            event_ts: None,
        };
        let after = Duration::from_millis(after);
        self.sends.push(Send { after, answer: Answer::New, record, identity });
        self.expect(&id, fate);
        id
    }

    /// Promises how a message ends, in every ending.
    pub(crate) fn expect(&mut self, id: &str, fate: Fate) {
        for ending in &mut self.promise.endings {
            ending.messages.push((id.to_owned(), fate));
        }
    }

    /// The usual ending.
    pub(crate) fn ending(&mut self) -> &mut Ending {
        &mut self.promise.endings[0]
    }

    /// Another way in which it may end.
    pub(crate) fn or(&mut self, change: impl FnOnce(Ending) -> Ending) {
        let other = change(self.promise.endings[0].clone());
        self.promise.endings.push(other);
    }
}

/// A message that took its step.
pub(crate) const DONE: Fate = Fate::Ended(Outcome::Done);
