//! The API on a real store, most of it over the router and some of it over real sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bodies;
mod doctor;
mod doors;
mod editing;
mod erasing;
mod issuer;
mod journey;
mod masking;
mod moving;
mod operations;
mod pages;
mod problems;
mod relay;
mod replaying;
mod reports;
mod rig;
mod routes;
mod schemathesis;
mod server;
mod steering;
mod throttling;
mod tokens;
mod trail;
mod watching;
