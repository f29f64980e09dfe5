//! From the bytes of a record to a message of the inbox.
//!
//! ```text
//!  Record ──► a dead letter? ──► rules of its topic ─┐
//!                                CloudEvents ────────┼──► Identity ──► NewMessage
//!                                default headers ────┘     RECEIVED, or SERDE_ERROR with its bytes
//! ```
//!
//! **Invariant:** no I/O, no async, no clock; and no record is refused. Whatever the bytes are, a
//! message comes of them that gives back every one.

mod cloud_events;
mod error;
mod extraction;
mod extractor;
mod field;
mod find;
mod hint;
mod identify;
mod inbound;
mod pattern;
mod pointer;
mod rules;

pub use cloud_events::CloudEvents;
pub use error::RuleError;
pub use extraction::Extraction;
pub use extractor::Extractor;
pub use field::Field;
pub use inbound::{CameBack, Decoded, Inbound};
pub use pointer::Pointer;
pub use rules::{OnSerdeError, Rules};
