//! Files of cases: what they say of the examples, and what is said of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broken;
mod examples;
mod misses;
mod mutated;
mod schema;
mod setting;
mod world;
