//! The OUTBOX: every effect on the world is an intent stored here, in the transaction of its cause.
//!
//! ```text
//!  NewIntent ──► PENDING ──leased, sent──► DISPATCHED
//!                 │   ▲
//!                 │   └── not yet (ATTEMPTS, NEXT_ATTEMPT_AT), or held behind its record's head
//!                 └─────► FAILED (needs a person, who retries it or gives it up)
//! ```
//!
//! The unit of delivery is the record: an intent without record keys is one unit, an intent with
//! 2,000 keys is 2,000 units that are sent, retried and settled each on its own.
//!
//! **Invariant:** an intent has a [`Destination`](dipmo_domain::Destination), never a text that
//! might be one. Nothing here knows the inbox, a database or a network.

mod ending;
mod intent;
mod job;
mod lease;
mod publisher;
mod row;
mod unit;

pub use ending::Ending;
pub use intent::NewIntent;
pub use job::{Job, JobId, JobMark, JobPage, JobPhase, JobPlan, JobStep, JobWork};
pub use lease::{Epoch, Lease, Owner};
pub use publisher::{Published, Publisher, Readiness, SLICE_SIZE};
pub use row::{OutboxRow, RecordRow};
pub use unit::{Attempt, ChunkRef, Delivery, UnitResult, UnitSettlement};
