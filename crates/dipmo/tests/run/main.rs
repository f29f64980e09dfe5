//! `dipmo run` as an operator starts it: the binary, the examples as they stand, a real PostgreSQL, a real
//! Kafka and the simulated Salesforce.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

mod hits;
mod logins;
mod members;
mod migrating;
#[path = "../fire/parts/postgres.rs"]
mod postgres;
mod probing;
mod refused;
mod service;
mod waiting;
