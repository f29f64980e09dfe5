//! A Salesforce client whose errors say what to do next.
//!
//! It speaks REST, Collections, Composite, Composite Graph and Bulk API 2.0 over connections that it
//! keeps, logs in by client credentials or by a signed assertion, and logs in again by itself when a
//! session ends. It retries nothing: an [`Error`] tells by its [`Class`] what its caller should do,
//! and whether Salesforce may have done what was asked all the same.
//!
//! ```no_run
//! use dipmo_salesforce::{Auth, Class, Client, ClientOptions, Fields, RecordRef, Secret};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), dipmo_salesforce::Error> {
//! let auth = Auth::ClientCredentials {
//!     client_id: "3MVG9…".to_owned(),
//!     client_secret: Secret::new("…"),
//! };
//! let client = Client::new(ClientOptions::new("https://acme.my.salesforce.com", auth))?;
//!
//! let at = RecordRef { object: "Contact", field: "ExternalId__c", key: "C-1" };
//! let body = Fields::from_iter([("LastName".to_owned(), json!("Ada"))]);
//! match client.upsert(&at, &body).await {
//!     Ok(upserted) => println!("{} is there", upserted.id),
//!     Err(error) if error.class() == Class::Permanent => println!("correct the record: {error}"),
//!     Err(error) => println!("not now: {error}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! **Invariants:** no secret, no token and no payload is in any print, error or log line; no call
//! lasts longer than its deadline; of all calls of a client at most one is logging in.

mod bulk;
mod class;
mod client;
mod clock;
mod code;
mod collections;
mod composite;
mod describe;
mod error;
mod graph;
mod http;
mod limits;
mod method;
mod names;
mod options;
mod record;
mod row_error;
mod secret;
mod session;
mod usage;

pub use bulk::{
    Bulk, BulkJob, BulkOperation, BulkResults, BulkSpec, BulkState, Cell, CsvWriter,
    MAX_UPLOAD_BYTES, ResultRow, ResultRows,
};
pub use class::Class;
pub use client::Client;
pub use code::{Code, codes};
pub use collections::MAX_RECORDS as MAX_COLLECTION_RECORDS;
pub use composite::{
    Composite, MAX_SUBREQUESTS as MAX_COMPOSITE_REQUESTS, SubRequest, SubResponse,
};
pub use describe::{Description, FieldDescription};
pub use error::Error;
pub use graph::{Graph, GraphAnswer, MAX_GRAPHS, MAX_NODES as MAX_GRAPH_NODES};
pub use limits::{Limit, Limits};
pub use method::Method;
pub use options::{Auth, ClientOptions};
pub use record::{Fields, RecordRef, Upserted};
pub use row_error::RowError;
pub use secret::Secret;
pub use usage::ApiUsage;

/// The examples of the guide, which are compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/salesforce-client.md")]
struct Guide;
