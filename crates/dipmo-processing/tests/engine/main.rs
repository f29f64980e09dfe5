//! The engine on the memory store, on virtual time. Tests named after a trap fail when its guard
//! is removed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod backlog;
mod couriers;
mod dead_letters;
mod dispatching;
mod internal;
mod order;
mod poison;
mod publishers;
mod retries;
mod rig;
mod scaling;
mod script;
mod timers;
mod versions;
mod waves;
