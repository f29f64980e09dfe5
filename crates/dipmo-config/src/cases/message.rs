//! A message of a case, with all that an inbox row can say.

use dipmo_api::MessageView;
use dipmo_domain::{Headers, InboxId, Json, Timestamp};

use super::model::When;
use crate::Name;

/// A message on its way to the process.
pub(super) struct Message {
    pub(super) event: String,
    pub(super) topic: String,
    pub(super) source: String,
    pub(super) now: Timestamp,
    pub(super) source_version: Option<i64>,
    id: String,
    aggregate_id: String,
    event_version: Option<u16>,
    event_time: Timestamp,
    payload: Json,
    headers: Headers,
    attempts: u32,
}

/// What a message has unless the case says otherwise.
pub(super) struct Usual {
    pub(super) event: String,
    pub(super) topic: String,
    pub(super) source: String,
    pub(super) instance: String,
    /// What a timer was set with.
    pub(super) payload: Option<Json>,
    pub(super) now: Timestamp,
    /// Which message of the case it is.
    pub(super) number: usize,
}

impl Message {
    /// With all that a case says of it.
    pub(super) fn new(when: &When, usual: Usual) -> Self {
        let text = |name: &Option<Name>, usual: String| match name {
            Some(name) => name.to_string(),
            None => usual,
        };
        let said = when.payload.as_ref().and_then(|payload| Json::of(&payload.to_json()).ok());
        let headers = when.headers.iter();
        Self {
            event: usual.event,
            topic: text(&when.topic, usual.topic),
            source: text(&when.source, usual.source),
            now: usual.now,
            source_version: when.source_version.map(|version| version.value),
            id: text(&when.message_id, format!("message-{}", usual.number)),
            aggregate_id: text(&when.aggregate_id, usual.instance),
            event_version: when.version.map(|version| version.get()),
            event_time: when.event_time.map_or(usual.now, |time| time.value.0),
            payload: said.or(usual.payload).unwrap_or_else(Json::empty_object),
            headers: headers.fold(Headers::default(), |all, (name, value)| all.with(name, value)),
            attempts: when.attempts.map_or(0, |attempts| attempts.value),
        }
    }

    /// As the process sees it.
    pub(super) fn view(&self) -> MessageView<'_> {
        MessageView {
            inbox_id: InboxId(1),
            message_id: &self.id,
            source_system: &self.source,
            topic: &self.topic,
            aggregate_id: Some(&self.aggregate_id),
            event_type: Some(&self.event),
            event_version: self.event_version,
            source_version: self.source_version,
            payload: &self.payload,
            headers: &self.headers,
            event_ts: Some(self.event_time),
            received_at: self.now,
            attempts: self.attempts,
        }
    }
}
