//! The states of a product.

dipmo_api::states! {
    /// Whether a product can be ordered.
    pub enum ProductState {
        /// Nobody has listed it.
        Unknown = "UNKNOWN",
        /// It is in PRODUCTS.
        Listed = "LISTED",
    }
    initial Unknown;
    Unknown => Listed: "listProduct()";
    Listed => Listed: "listProduct()";
}
