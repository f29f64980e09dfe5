//! Dead letters on a real broker and a real PostgreSQL, out and back, counted to the record.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod coming_back;
mod dying;
mod mirroring;
mod operator;
mod orders;
#[path = "../fire/parts/postgres.rs"]
mod postgres;
mod rig;
