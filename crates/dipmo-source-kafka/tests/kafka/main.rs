//! The source on a real broker and real stores, counted to the record.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod absent_leaders;
mod assigning;
mod bytes;
mod crash;
mod database;
mod growing;
mod letters;
mod letters_lost;
mod logins;
mod piecemeal;
mod poison;
mod postgres;
mod rebalancing;
mod rig;
mod rights;
mod set_back;
mod stalling;
mod stopping;
mod storing;
mod trouble;
