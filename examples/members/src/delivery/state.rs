//! The states of a delivery, and what it remembers.

use serde::{Deserialize, Serialize};

dipmo_api::states! {
    /// How far a delivery has come.
    pub enum DeliveryState {
        /// Something was announced.
        Announced = "ANNOUNCED",
        /// It is in the outbox; its records are sent and settled each on its own.
        Requested = "REQUESTED",
        /// Salesforce has all of it.
        Delivered = "DELIVERED",
        /// Salesforce refused some of it, perhaps all, and a person should look.
        PartlyFailed = "PARTLY_FAILED",
    }
    initial Announced;
    Announced => Requested: "request()";
    Requested => Delivered: "delivered()";
    Requested => PartlyFailed: "deliveryFailed()";
    PartlyFailed => Delivered: "delivered(), after an operator's retry";
    PartlyFailed => PartlyFailed: "deliveryFailed(), after an operator's retry";
}

/// What a delivery remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryData {
    /// The family that it is about.
    pub family_id: String,
    /// The records that were announced.
    pub ids: Vec<String>,
    /// How many of them Salesforce has.
    pub delivered: u64,
    /// How many it refused.
    pub failed: u64,
    /// Which it refused, if they are not too many.
    pub failed_ids: Vec<String>,
}
