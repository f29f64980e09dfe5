//! Effects: what a process wants the world to know, written to the outbox with its step.

use dipmo_domain::{Destination, Headers, Json, RecordKey};
use serde::Serialize;

/// An intent for the outbox, as a process states it.
///
/// Whether it fits the columns is checked with the whole transition: a misfit rejects the message
/// with the code `effect-invalid`, and never becomes an error of the database.
///
/// ```
/// use dipmo_api::Effect;
/// use serde_json::json;
///
/// let topic = "KAFKA:hit-events".parse()?;
/// let effect = Effect::new(topic, "HitQualified").payload(&json!({ "positive": true }));
/// # Ok::<(), dipmo_domain::DestinationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "an effect does nothing until a transition carries it"]
pub struct Effect {
    pub(crate) destination: Destination,
    pub(crate) aggregate_type: Option<String>,
    pub(crate) aggregate_id: Option<String>,
    pub(crate) event_type: String,
    pub(crate) event_version: u16,
    pub(crate) payload: Result<Json, String>,
    pub(crate) headers: Headers,
    pub(crate) records: Vec<RecordKey>,
    pub(crate) expects_outcome: bool,
}

impl Effect {
    /// An event of version 1 with the payload `{}`, about the instance itself.
    pub fn new(destination: Destination, event_type: impl Into<String>) -> Self {
        Self {
            destination,
            aggregate_type: None,
            aggregate_id: None,
            event_type: event_type.into(),
            event_version: 1,
            payload: Ok(Json::empty_object()),
            headers: Headers::default(),
            records: Vec::new(),
            expects_outcome: false,
        }
    }

    /// The payload, from any value that serde can write.
    pub fn payload<T: Serialize + ?Sized>(mut self, payload: &T) -> Self {
        self.payload = Json::of(payload).map_err(|error| error.to_string());
        self
    }

    /// The payload, byte for byte.
    pub fn payload_json(mut self, payload: Json) -> Self {
        self.payload = Ok(payload);
        self
    }

    /// What it is about, if not the instance: `AGGREGATE_TYPE` and `AGGREGATE_ID`, the latter
    /// being the key of a Kafka record. Defaults to the name of the process and the instance.
    pub fn about(mut self, aggregate_type: impl Into<String>, id: impl Into<String>) -> Self {
        self.aggregate_type = Some(aggregate_type.into());
        self.aggregate_id = Some(id.into());
        self
    }

    /// The version of the event's contract. Defaults to 1.
    pub const fn version(mut self, version: u16) -> Self {
        self.event_version = version;
        self
    }

    /// Adds a text header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers = self.headers.with(name, value);
        self
    }

    /// The records that it names at the destination: one intent, a state for each record.
    /// A record that is named twice is sent once.
    pub fn records(mut self, records: impl IntoIterator<Item = RecordKey>) -> Self {
        self.records.extend(records);
        self
    }

    /// Asks for the outcome: `Delivered` or `DeliveryFailed` comes back to this instance as an
    /// event on the topic `outcome:<process>`, with a
    /// [`DeliveryReport`](crate::DeliveryReport) as its payload.
    pub const fn expects_outcome(mut self) -> Self {
        self.expects_outcome = true;
        self
    }
}
