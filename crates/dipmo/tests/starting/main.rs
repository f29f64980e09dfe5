//! `dipmo init` and `dipmo test`, as somebody meets them who begins.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod commands;
mod guide;
mod program;
