//! A message that a test sends.

use dipmo_domain::{Headers, InboxId, Json, Timestamp};
use serde_json::Value;

use crate::MessageView;

/// A message for a [`Scenario`](super::Scenario), with all that an inbox row can say.
#[derive(Clone, Debug, PartialEq)]
pub struct TestMessage {
    pub(super) event_type: String,
    pub(super) topic: Option<String>,
    payload: Json,
    aggregate_id: Option<String>,
    event_version: Option<u16>,
    pub(super) source_version: Option<i64>,
    headers: Headers,
    attempts: u32,
}

impl TestMessage {
    /// A message about the instance of the scenario, on the first topic that the process
    /// subscribes to for this event type.
    ///
    /// # Panics
    /// When the payload is nested too deep to be stored.
    #[must_use]
    #[track_caller]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a test writes json!(…) here, not a reference"
    )]
    pub fn new(event_type: &str, payload: Value) -> Self {
        Self::with_json(event_type, Json::of(&payload).expect("the payload can be stored"))
    }

    pub(super) fn with_json(event_type: &str, payload: Json) -> Self {
        Self {
            event_type: event_type.to_owned(),
            topic: None,
            payload,
            aggregate_id: None,
            event_version: None,
            source_version: None,
            headers: Headers::default(),
            attempts: 0,
        }
    }

    /// On another topic.
    #[must_use]
    pub fn topic(mut self, topic: &str) -> Self {
        self.topic = Some(topic.to_owned());
        self
    }

    /// About another aggregate than the instance.
    #[must_use]
    pub fn aggregate(mut self, id: &str) -> Self {
        self.aggregate_id = Some(id.to_owned());
        self
    }

    /// In this version of the event's contract.
    #[must_use]
    pub const fn version(mut self, version: u16) -> Self {
        self.event_version = Some(version);
        self
    }

    /// With this version of the producer's aggregate.
    #[must_use]
    pub const fn source_version(mut self, version: i64) -> Self {
        self.source_version = Some(version);
        self
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers = self.headers.with(name, value);
        self
    }

    /// After so many failed attempts.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    pub(super) fn view<'a>(
        &'a self,
        topic: &'a str,
        instance: &'a str,
        now: Timestamp,
    ) -> MessageView<'a> {
        MessageView {
            inbox_id: InboxId(1),
            message_id: "test-1",
            source_system: "test",
            topic,
            aggregate_id: Some(self.aggregate_id.as_deref().unwrap_or(instance)),
            event_type: Some(&self.event_type),
            event_version: self.event_version,
            source_version: self.source_version,
            payload: &self.payload,
            headers: &self.headers,
            event_ts: Some(now),
            received_at: now,
            attempts: self.attempts,
        }
    }
}
