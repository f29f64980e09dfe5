//! REST over the data of the org: synchronous functions on a transaction.

pub(crate) mod request;
