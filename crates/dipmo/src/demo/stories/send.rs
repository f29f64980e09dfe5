//! A record that is sent, and what the inbox must answer.

use std::borrow::Cow;
use std::time::Duration;

use dipmo_inbox::{Identity, NewMessage, Record, Stored};
use serde_json::{Value, json};

use crate::demo::wire::Ticket;

/// One record that is sent. All about it is in its value, for the rules of the files to find.
#[derive(Clone, Debug)]
pub(crate) struct Send {
    /// How long after the beginning of its story.
    pub(crate) after: Duration,
    /// What the inbox must answer.
    pub(crate) answer: Answer,
    /// Its name in the book.
    pub(super) id: String,
    /// Whether the inbox learns that name. What has no JSON is named by its place.
    pub(super) tells_id: bool,
    pub(super) event_type: Option<String>,
    pub(super) record: Record,
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
        &self.id
    }

    /// The record as it goes over the wire.
    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    /// What must come back for it.
    pub(crate) fn ticket(&self) -> Ticket {
        let bytes = |part: &Option<Vec<u8>>| part.as_ref().map_or(0, Vec::len) as u64;
        Ticket {
            id: self.id.clone(),
            answer: self.answer,
            tells_id: self.tells_id,
            bytes: bytes(&self.record.key) + bytes(&self.record.value),
        }
    }

    /// Whether another part of the program sends it, and not a system outside.
    pub(crate) fn is_from_inside(&self) -> bool {
        is_inside(&self.record.topic)
    }

    /// As the part of the program stores it that sends it itself.
    pub(crate) fn message(&self, offset: i64) -> NewMessage {
        let record = Record { offset, ..self.record.clone() };
        let about = self.record.key.as_deref().map(String::from_utf8_lossy);
        let identity = Identity {
            source_system: "blocks".to_owned(),
            message_id: Some(self.id.clone()),
            aggregate_id: about.map(Cow::into_owned),
            event_type: self.event_type.clone(),
            ..Identity::default()
        };
        NewMessage::from_record(&record, &identity)
    }

    /// Something else under the same id, if it has one.
    pub(super) fn forged(&self, after: Duration) -> Option<Self> {
        let value = self.record.value.as_deref().unwrap_or_default();
        let mut event = serde_json::from_slice(value).unwrap_or_else(|_| json!({}));
        event["id"] = json!(self.id);
        event["forged"] = json!(true);
        let record = Record { value: Some(bytes(&event)), ..self.record.clone() };
        let forged = Self { after, answer: Answer::Conflict, record, ..self.clone() };
        self.tells_id.then_some(forged)
    }
}

/// Topics of other parts of the program.
pub(super) fn is_inside(topic: &str) -> bool {
    topic.starts_with("internal:")
}

pub(super) fn bytes(event: &Value) -> Vec<u8> {
    event.to_string().into_bytes()
}
