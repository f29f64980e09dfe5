//! `dipmo run` as an operator starts it: the binary, the examples as they stand, a real PostgreSQL, a real
//! Kafka and the simulated Salesforce.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

mod door;
mod few_rights;
mod hits;
mod legs;
mod logins;
mod members;
mod migrating;
mod operators;
mod orders;
mod pausing;
#[path = "../fire/parts/postgres.rs"]
mod postgres;
mod probing;
mod refused;
mod requests;
mod sending;
mod service;
mod stage;
mod starting;
mod stopping;
mod takeover;
mod upgrade;
mod waiting;
