//! The store on SQLite: one file, one writer, no server.
//!
//! The driver blocks, so it lives on two threads of its own: one writes, one reads. A call sends
//! its work there as a closure and awaits the answer. Every write is one `BEGIN IMMEDIATE`
//! transaction, which locks the whole file: lanes need no locks here, and instances on the same
//! file take turns.
//!
//! **Invariant:** a transaction begins and ends within one closure. Neither a caller that goes away
//! nor a panic can leave one open.
//!
//! Start reading at [`SqliteStore`]; the life of a batch is in `batch.rs`.

mod access;
mod actions;
mod archive;
mod audit;
mod backlog;
mod batch;
mod blocks;
mod browse;
mod chunks;
mod claim;
mod connection;
mod controls;
mod ddl;
mod definitions;
mod deliveries;
mod delivery;
mod dispatch;
mod domain;
mod domain_sql;
mod due;
mod duties;
mod edits;
mod erase;
mod error;
mod exception;
mod failures;
mod fencing;
mod filters;
mod fleet;
mod handler;
mod history;
mod inbox;
mod inspect;
mod intents;
mod job_change;
mod job_units;
mod jobs;
mod leases;
mod listing;
mod lookup;
mod messages;
mod migrate;
mod offsets;
mod operate;
mod operation_items;
mod operations;
mod options;
mod overtaking;
mod perform;
mod probe;
mod progress;
mod reads;
mod releases;
mod reparse;
mod reports;
mod resend;
mod rows;
mod schema;
mod script;
mod settle_messages;
mod settle_units;
mod slo;
mod sql;
mod states;
mod steer;
mod store;
mod tables;
mod timers;
mod tx;
mod unsettled;
mod url;
mod user_sql;
mod values;
mod wake;
mod work;
mod worker;

pub use handler::SqliteHandler;
pub use migrate::MIGRATIONS;
pub use options::{Durability, SqliteOptions};
/// The driver, in the version that [`SqliteHandler`] speaks.
pub use rusqlite;
pub use store::SqliteStore;
