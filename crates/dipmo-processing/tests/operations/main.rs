//! Operations of operators, performed on a database: each item is met once, whatever happens to who performs.

#![expect(clippy::unwrap_used, reason = "all of this is test code: an unwrap is an assertion")]

mod changes;
mod crashes;
mod pace;
mod presence;
mod reparse;
mod rig;
mod sharing;
mod tidying;
mod trouble;
