//! Kafka out: a publisher that settles by delivery report.
//!
//! ```text
//!  publish(slice) ──► Pacing: of each key, the first ──► librdkafka ──► broker
//!        ▲                      ▲                                        │
//!        │                      └── the next of that key ◄── Reports ◄───┘ delivery report
//!        └── an answer for each
//! ```
//!
//! **Order.** Of one key at most one record is on its way at any time. So nothing of a key can be
//! delivered behind a record that was refused or has no answer yet, whatever the broker, the
//! network or librdkafka do: see [`KafkaPublisher`].
//!
//! With [`exactly_once`](KafkaSinkOptions::exactly_once) nothing goes out in slices: a job of the outbox
//! is a transaction of Kafka, in which all records of a key stand in their order, or none at all.

mod error;
mod metrics;
mod once;
mod options;
mod pacing;
mod producer;
mod producers;
mod publisher;
mod record;
mod reports;

pub use error::SinkError;
pub use metrics::{Metrics, Snapshot, Transactions};
pub use options::KafkaSinkOptions;
pub use publisher::KafkaPublisher;
