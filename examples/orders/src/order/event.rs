//! What an order hears.

use serde::Deserialize;

dipmo_api::events! {
    /// The events of topic `order-requests`.
    #[derive(Clone, Debug)]
    pub enum OrderEvent {
        /// Somebody wants so many of a product.
        OrderRequested(OrderRequested) = "OrderRequested" v1,
    }
}

/// A request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderRequested {
    /// The id of the order: the same for every repetition of the request.
    pub order_id: String,
    /// What is wanted.
    pub product: String,
    /// How many of it.
    pub quantity: i64,
}
