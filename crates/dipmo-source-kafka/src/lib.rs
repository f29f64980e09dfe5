//! Kafka in: stores, then commits.
//!
//! ```text
//!  broker ──► reader (a thread) ── batch ──► storing (a task) ──► Inbox::store
//!                │  poll, decode              messages and next offsets, one transaction
//!                │                                    │
//!                └── commit ◄── ledger: what is stored without a gap, and still ours
//! ```
//!
//! **Invariant:** an offset is committed to the broker only after the inbox said that everything
//! before it is durable, and never for a partition that was revoked. Where to go on is the
//! database's word, not the broker's.

mod assigning;
mod assignment;
mod batch;
mod commit;
mod context;
mod error;
#[cfg(test)]
mod gated;
mod health;
mod lag;
mod metrics;
mod offsets;
mod options;
mod pausing;
mod progress;
mod reader;
mod record;
mod refused;
mod returning;
mod shared;
mod source;
mod storing;
mod telling;
mod trouble;

pub use assignment::Start;
pub use batch::BatchLimits;
pub use error::SourceError;
pub use health::{Health, Pause, PauseReason, Problem};
pub use metrics::{Metrics, Snapshot};
pub use offsets::Place;
pub use options::SourceOptions;
pub use pausing::PressureLimits;
pub use progress::Membership;
pub use source::{FAREWELL, KafkaSource};
