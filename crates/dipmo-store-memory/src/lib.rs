//! A store in memory, for tests and simulations.
//!
//! It keeps the contract of `docs/store-contract.md` as the databases do, with a clock that only
//! the test moves (or that it brings), without chance, and without waiting: every call ends the
//! first time that it is polled, but for a `release` of what is in lanes that batches on other
//! threads work on, and operators who want something in them. Data is gone with the last clone.
//!
//! **Invariant:** a transaction is a clone of the data. It takes the place of the newest state as
//! a whole or is dropped, so that nothing is ever half written.

mod apply;
mod backlog;
mod blocks;
mod claim;
mod clock;
mod columns;
mod database;
mod dispatch;
mod domain;
mod exceptions;
mod handler;
mod history;
mod inbox;
mod index;
mod insert;
mod inspect;
mod intent_end;
mod intents;
mod job_change;
mod job_tables;
mod jobs;
mod leases;
mod let_go;
mod locks;
mod lookup;
mod migrate;
mod offsets;
mod operate;
mod operate_units;
mod outbox;
mod outbox_settle;
mod probe;
mod read;
mod release;
mod reparse;
mod rows;
mod schema;
mod settle;
mod side;
mod states;
mod store;
#[cfg(test)]
mod testing;
mod timers;
mod unit_result;
mod wake;
mod work;

pub use handler::{MemoryHandler, MemoryTx};
pub use store::MemoryStore;
