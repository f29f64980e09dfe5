//! The client against a simulated org, and against hosts that are none.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bulk_life;
mod bulk_results;
mod bulk_upload;
mod collections;
mod composite;
mod connections;
mod graph;
mod hosts;
mod lost;
mod org;
mod overtaken;
mod records;
mod refusals;
mod secrets;
mod session;
mod tls;
mod told;
