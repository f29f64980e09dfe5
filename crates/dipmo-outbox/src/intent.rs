//! An intent: something that must happen at a destination.

use dipmo_domain::{
    Destination, Headers, InboxId, Json, Lane, OrderKey, ProcessKey, RecordKey, Timestamp,
};

/// A row for the OUTBOX that has no id yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewIntent {
    /// `AGGREGATE_TYPE`, at most 50 characters.
    pub aggregate_type: String,
    /// `AGGREGATE_ID`, at most 200 characters.
    pub aggregate_id: String,
    /// `EVENT_TYPE`, at most 200 characters.
    pub event_type: String,
    /// `EVENT_VERSION`.
    pub event_version: u16,
    /// `PAYLOAD`.
    pub payload: Json,
    /// `HEADERS`.
    pub headers: Headers,
    /// `DESTINATION`.
    pub destination: Destination,
    /// The records at the destination that this intent is about, when they are not the aggregate.
    pub records: Vec<RecordKey>,
    /// The process that wants to hear how it ended.
    pub reply_to: Option<ProcessKey>,
    /// The message that caused it.
    pub cause: Option<InboxId>,
    /// `RECEIVED_AT` of that message, where its delivery is what somebody waits for since then.
    pub caused_at: Option<Timestamp>,
}

impl NewIntent {
    /// What keeps an intent without records in order: its aggregate.
    #[must_use]
    pub fn order_key(&self) -> OrderKey {
        OrderKey::new(&self.aggregate_id)
    }

    /// The units of delivery: their record key, if any, and what keeps each of them in order.
    pub fn units(&self) -> impl Iterator<Item = (Option<&RecordKey>, OrderKey)> {
        let alone = self.records.is_empty().then(|| (None, self.order_key()));
        let records = self.records.iter().map(|key| (Some(key), OrderKey::new(&key.0)));
        alone.into_iter().chain(records)
    }

    /// The lanes of its units, one each.
    #[must_use]
    pub fn lanes(&self) -> Vec<Lane> {
        self.units().map(|(_, key)| key.lane()).collect()
    }
}
