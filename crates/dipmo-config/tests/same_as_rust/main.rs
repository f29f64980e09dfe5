//! A process in YAML decides as the same process in Rust does, whatever comes: the same states, documents,
//! rows, intents and timers, and the same refusals.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod hits;
mod onboarding;
mod orders;
mod pair;
