//! The states of an order.

dipmo_api::states! {
    /// How far an order has come.
    pub enum OrderState {
        /// Somebody asked for it.
        Requested = "REQUESTED",
        /// It is in ORDERS, and `order-processed` says so.
        Processed = "PROCESSED",
    }
    initial Requested;
    Requested => Processed: "processOrder()";
}
