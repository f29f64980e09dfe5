//! `dipmo init`, `dipmo test` and what tells of the program, as somebody meets them who begins.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod commands;
mod guide;
mod page;
mod program;
mod telling;
