//! The PostgreSQL store: the production store.
//!
//! Messages and intents are appended to partitioned logs and never updated; what moves lives beside
//! them in small tables (see `migrations/` and `docs/store-contract.md`). A call costs a fixed
//! number of round trips whatever its batch: statements are pipelined, and what a statement finds
//! wrong is raised inside the database by `dipmo_assert`, so that a batch and its COMMIT travel
//! together.
//!
//! Start reading at `work.rs` (a batch of the inbox) and `outbox_settle.rs` (a settlement).
//!
//! **Invariant:** every statement that runs for a batch is a file in `sql/`, except those of
//! process and domain tables, which are made from checked definitions, and those of users, which were
//! read and checked as well; no text is ever made of a value.

mod access;
mod actions;
mod archive;
mod audit;
mod backlog;
mod blocks;
mod browse;
mod controls;
mod copy_in;
mod copy_rows;
mod ddl;
mod definitions;
mod deliveries;
mod dispatch;
mod domain;
mod duties;
mod edits;
mod erase;
mod error;
mod exception;
mod facts;
mod failure_groups;
mod failures;
mod fleet;
mod handler;
mod history;
mod inbox;
mod inspect;
mod intent_rows;
mod intents;
mod job_change;
mod job_units;
mod jobs;
mod lane_acts;
mod listing;
mod lookup;
mod message_writes;
mod migrate;
mod moves;
mod offsets;
mod operate;
mod options;
mod outbox_settle;
mod pipeline;
mod probe;
mod progress;
mod projected;
mod queries;
mod reparse;
mod reports;
mod rows;
mod schema;
mod script;
mod session;
mod settle;
mod slo;
mod sql;
mod standing;
mod statements;
mod states;
mod steer;
mod store;
mod timers;
mod tls;
mod types;
mod unit_writes;
mod units;
mod values;
mod wake;
mod wave;
mod whereabouts;
mod work;

pub use handler::{HandlerTransaction, PostgresHandler};
pub use migrate::MIGRATIONS;
pub use options::PostgresOptions;
pub use store::PostgresStore;
