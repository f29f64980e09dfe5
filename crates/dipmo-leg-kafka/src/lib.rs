//! From topics to topics: what is sent and what was read, in one transaction of Kafka.
//!
//! ```text
//!  topic ─┐                    ┌── records ──► topics          ┐
//!  topic ─┼─► Transform (pure) ┼── not now ──► <topic>-retry-n ├ one transaction
//!  retry ─┘                    ├── never ────► <topic>-dlt     │
//!     ▲                        └── offsets ──► the group       ┘
//!     └── when it is due
//! ```
//!
//! No database and no call to anybody is part of it: a transform is a function. What a transaction
//! holds is seen by readers of committed records together or not at all, and a member whose
//! partitions went to another can commit nothing, because every transaction carries the group's word
//! for who has them.
//!
//! **Invariant:** an offset of the group moves only in the transaction that holds everything that
//! came of the records before it.

mod attempt;
mod beginning;
mod chain;
mod clock;
mod context;
mod ending;
mod error;
mod health;
mod leg;
mod letter;
mod member;
mod metrics;
mod options;
mod outcome;
mod producer;
mod record;
mod shared;
mod suspects;
mod transaction;
mod transform;
mod waiting;

pub use attempt::{ATTEMPTS, DUE, ERROR_CODE, ERROR_MESSAGE, OFFSET, PARTITION, TIMESTAMP, TOPIC};
pub use chain::Chain;
pub use error::LegError;
pub use health::Health;
pub use leg::{FAREWELL, KafkaLeg};
pub use letter::LEFT_OUT;
pub use metrics::{Metrics, Snapshot};
pub use options::{BatchLimits, LegOptions, Start};
pub use transform::{Applied, Outgoing, Transform};
