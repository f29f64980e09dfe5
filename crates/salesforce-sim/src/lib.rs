//! A Salesforce for tests.
//!
//! It speaks the REST, Collections, Composite and Bulk 2.0 APIs with the codes, the words and the odd
//! habits of the real one, keeps the rules of an org that a schema file describes, fails on demand,
//! and can tell afterwards what was applied, how often and in what order. It knows nothing of dipmo.
//!
//! ```
//! # #[tokio::main]
//! # async fn main() -> Result<(), salesforce_sim::Error> {
//! use salesforce_sim::{Options, Simulator};
//! use serde_json::json;
//!
//! let salesforce = Simulator::start(Options::default()).await?;
//! // The next call is applied, but its client never learns it.
//! salesforce.faults(json!({ "rules": [{ "times": 1, "fault": { "kind": "timeout_after" } }] }))?;
//! // Point a client at salesforce.url(), and see what it did.
//! assert!(salesforce.ledger("Contact")?.is_empty());
//! assert!(salesforce.calls().is_empty());
//! salesforce.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! **Invariant:** no request ends the process; a handler that panics is counted and answers 500.

mod bulk;
mod clock;
mod control;
mod data;
mod datetime;
mod did_you_mean;
mod error;
mod fault;
mod fold;
mod formula;
mod inspect;
mod oauth;
mod org;
pub mod program;
mod refusal;
mod report;
mod schema;
mod server;
mod simulator;
mod soql;
mod span;
mod value;

pub use error::Error;
pub use report::{Credentials, LedgerEntry, LoggedCall, RecordNow, WriteKind};
pub use schema::{STANDARD as STANDARD_SCHEMA, SchemaError};
pub use simulator::{Options, SchemaSource, Simulator};

/// The guide's example in Rust, which runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/salesforce-sim.md")]
struct Guide;
