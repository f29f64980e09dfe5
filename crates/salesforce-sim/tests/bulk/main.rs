//! Bulk API 2.0 over HTTP, against the program as a user starts it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../support/seed.rs"]
mod seed;

mod accidents;
mod contacts;
mod csv;
mod fuzz;
mod life;
mod org;
mod repeats;
mod strict;
mod volume;
