//! The engine under fire, on real databases and a real broker: killed, stopped, cut off, poisoned, flooded.
//!
//! Everything here ends with the same question to the ledger: was every message taken exactly once
//! and in order, and was every intent delivered? Tests named after a trap fail when its guard is
//! removed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cut_off;
mod deployed;
mod garbage;
mod kafka_cluster;
mod kafka_gaps;
mod kafka_killed;
mod kafka_once;
mod kafka_outage;
mod kafka_pressed;
mod killed;
mod parts;
mod poison;
mod stopped;
mod stopping;
mod storm;
