//! The values and rules that every other crate of dipmo speaks in.
//!
//! **Invariant:** no I/O, no async, no clock and no knowledge of any other crate of the workspace.
//! A value that exists is valid: what a constructor accepted, every store can keep byte for byte.

mod backoff;
mod code;
mod dedupe;
mod destination;
mod failure;
mod fingerprint;
mod headers;
mod histogram;
mod ids;
mod json;
mod lane;
mod month;
mod status;
mod store_error;
mod text;
mod time;
mod value;

pub use backoff::{Backoff, BackoffError};
pub use code::{Code, Coded};
pub use dedupe::{ContentHash, DedupeKey};
pub use destination::{Destination, DestinationError, SalesforceApi};
pub use failure::Failure;
pub use fingerprint::Fingerprint;
pub use headers::{Header, Headers, HeadersError};
pub use histogram::{BOUNDS_MS, Histogram};
pub use ids::{InboxId, OutboxId, ProcessKey, RecordKey};
pub use json::{Json, JsonError, MAX_JSON_DEPTH};
pub use lane::{Lane, OrderKey};
pub use month::Month;
pub use status::{ErrorStage, InboxStatus, OutboxStatus, Outcome, UnknownName};
pub use store_error::StoreError;
pub use text::{Fitted, cut_to_bytes, fit};
pub use time::Timestamp;
pub use value::Value;
