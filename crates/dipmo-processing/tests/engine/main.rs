//! The engine on the memory store, on virtual time. Tests named after a trap fail when its guard
//! is removed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod backlog;
mod bulk;
mod couriers;
mod dead_letters;
mod deadlines;
mod dispatching;
mod ending;
mod forwarding;
mod health;
mod internal;
mod job_crashes;
mod job_trouble;
mod jobs;
mod order;
mod poison;
mod promises;
mod publishers;
mod readiness;
mod retries;
mod rig;
mod scaling;
mod script;
mod steering;
mod timers;
mod versions;
mod waves;
