//! Delivery reports: how an intent went, told to the process that asked.

use serde::{Deserialize, Serialize};

/// The event type of a report on an intent that arrived, with all of its records.
pub const DELIVERED: &str = "Delivered";
/// The event type of a report on an intent of which something was refused for good.
pub const DELIVERY_FAILED: &str = "DeliveryFailed";

/// The payload of `Delivered` and `DeliveryFailed`, version 1.
///
/// A process that uses [`Effect::expects_outcome`](crate::Effect::expects_outcome) lists both
/// among its events, with this type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryReport {
    /// The event type of the intent, which tells two intents of one process apart.
    pub event_type: String,
    /// How many records arrived; 1 for an intent without records.
    pub dispatched: u64,
    /// How many were refused.
    pub failed: u64,
    /// The first of those that were refused; `failed` counts them all.
    #[serde(default)]
    pub failures: Vec<FailedDelivery>,
}

/// A record that the destination refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedDelivery {
    /// Its key; none for an intent without records.
    #[serde(default)]
    pub record: Option<String>,
    /// The code of the refusal.
    pub code: String,
    /// What the destination said.
    pub message: String,
}
