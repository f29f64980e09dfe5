//! REST over the data of the org: synchronous functions on a transaction.

mod reference;
pub(crate) mod request;
pub(crate) mod url;
