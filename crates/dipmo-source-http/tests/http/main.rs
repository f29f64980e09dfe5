//! The source on real stores, with real sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod certificates;
mod crash;
mod database;
mod foreign;
mod healing;
mod keys;
mod moody;
mod overload;
mod postgres;
mod refusals;
mod rig;
mod rude;
mod standing;
mod stopping;
