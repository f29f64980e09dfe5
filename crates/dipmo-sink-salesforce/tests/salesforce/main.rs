//! The publisher against a Salesforce in-process.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod auto;
mod breaker;
mod bulk;
mod config;
mod ending;
mod hydration;
mod order;
mod refusals;
mod slices;
mod slices_families;
mod support;
