//! What a product hears.

use serde::Deserialize;

dipmo_api::events! {
    /// The events of topic `products`.
    #[derive(Clone, Debug)]
    pub enum ProductEvent {
        /// A product is there, or has another title.
        ProductListed(ProductListed) = "ProductListed" v1,
    }
}

/// A product as the shop lists it.
#[derive(Clone, Debug, Deserialize)]
pub struct ProductListed {
    /// What orders name.
    pub product: String,
    /// What people call it.
    pub title: Option<String>,
}
