//! The simulator over HTTP: logging in, calls and their refusals, faults, inspection.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../support/seed.rs"]
mod seed;

mod binary;
mod client;
mod faults;
mod fuzz;
mod http;
mod inspect;
mod jwt;
mod oauth;
mod reset;
mod rows;
