//! Legs on a real broker, counted to the record.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod aborted;
mod beyond;
mod broker;
mod child;
mod counting;
mod poison;
mod retrying;
mod rig;
mod storm;
mod zombie;
