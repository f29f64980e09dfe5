//! Clients that others wrote: what they produce we consume, and what we publish they read, to the
//! byte.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod confluent;
mod kcat;
mod ours;
mod program;
