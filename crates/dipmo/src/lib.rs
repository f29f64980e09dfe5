//! What the service is made of, for the binary `dipmo` and for whoever builds one of their own.

pub mod service;
pub mod wiring;
