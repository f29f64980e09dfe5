//! `dipmo failures`, `inbox`, `outbox` and so on, as operators type them: the real program, on a database in which some
//! things are stuck.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acting;
mod archive;
mod editing;
mod erasing;
mod guide;
mod issuer;
mod leaving;
mod looking;
mod moving;
#[path = "../starting/page.rs"]
mod page;
mod pausing;
mod persons;
mod persons_elsewhere;
#[path = "../fire/parts/postgres.rs"]
mod postgres;
#[path = "../starting/program.rs"]
mod program;
mod refusals;
mod replaying;
mod reports;
mod served;
mod server;
mod shop;
mod terminal;
