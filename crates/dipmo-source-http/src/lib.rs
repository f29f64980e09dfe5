//! HTTP in: stores, then answers.
//!
//! ```text
//!  POST ──► who? ──► which path? ──► body: size, JSON, schema ──► queue ──► storing (a task)
//!   ▲                                                                        │ a batch, one transaction
//!   └── 202 · 409 · 503 ◄────────────── an answer for each ◄── Inbox::store ◄┘
//! ```
//!
//! The inbox is the store of idempotency keys: the id of a message is made of the path, the client and
//! the key, so that what was stored before is recognised by the transaction that would store it again.
//!
//! **Invariants:** no request is answered with 202 before its message is durable, and one key is one
//! message, whatever crashes. What waits is bounded, and whoever cannot be served soon is told so at
//! once. No token, no header that was not asked for and no value of a body is in a log, an error or an
//! answer.

mod answer;
mod auth;
mod body;
mod connection;
mod door;
mod error;
mod fields;
mod handle;
mod health;
mod key;
mod message;
mod metrics;
mod options;
mod patient;
mod pressure;
mod refusal;
mod route;
mod schema;
mod seldom;
mod server;
mod source;
mod standing;
mod storing;
mod tls;

pub use auth::{Auth, Tokens};
pub use error::SourceError;
pub use health::{Health, Problem};
pub use metrics::{Metrics, Snapshot};
pub use options::{HttpOptions, KeyRule, Limits, PathOptions};
pub use source::HttpSource;
pub use tls::Tls;
