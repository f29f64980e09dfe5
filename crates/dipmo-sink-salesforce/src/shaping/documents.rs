//! Payloads, each parsed once: the 2,000 records of an intent share one.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_domain::OutboxId;
use dipmo_outbox::Delivery;
use serde_json::Value as Json;

use crate::error::SinkError;

/// The payloads of a slice, by intent.
#[derive(Default)]
pub(super) struct Documents {
    parsed: HashMap<OutboxId, Result<Arc<Json>, SinkError>>,
}

impl Documents {
    /// The payload of a delivery.
    ///
    /// # Errors
    /// When it holds something that has no meaning as a value, such as half of a character.
    pub(super) fn get(&mut self, delivery: &Delivery) -> Result<Arc<Json>, SinkError> {
        self.parsed.entry(delivery.intent).or_insert_with(|| parse(delivery)).clone()
    }
}

fn parse(delivery: &Delivery) -> Result<Arc<Json>, SinkError> {
    let unfit = |error: serde_json::Error| {
        SinkError::payload_unfit(&delivery.destination, error.to_string())
    };
    delivery.payload.read().map(Arc::new).map_err(unfit)
}

/// The record that a payload carries for a delivery; `None` where it carries records for others.
pub(super) fn record<'a>(
    delivery: &Delivery,
    document: &'a Json,
    records: Option<&str>,
) -> Result<Option<&'a Json>, SinkError> {
    let unfit = |problem: String| SinkError::payload_unfit(&delivery.destination, problem);
    let found = match records {
        None => Some(document),
        Some(pointer) => match document.pointer(pointer) {
            None => None,
            Some(Json::Object(records)) => records.get(crate::mapping::key_of(delivery)),
            Some(_) => return Err(unfit(format!("{pointer} is no object of records"))),
        },
    };
    match found {
        Some(record) if !record.is_object() && !record.is_null() => {
            Err(unfit("a record is an object of values, or null".to_owned()))
        }
        found => Ok(found),
    }
}
