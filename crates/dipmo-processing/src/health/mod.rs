//! Whether an instance is well: what its parts note while they work, and what follows from it.
//!
//! ```text
//!  workers, couriers, sources, counts ──notes──► Pulse ──look──► Seen ──judge──► Verdict
//! ```
//! Noting costs a lock; judging is pure. `docs/operations.md` says what an operator does about each
//! reason.

mod checkup;
mod judge;
mod limits;
mod part;
mod pulse;
mod queues;
mod seen;
mod verdict;

pub use checkup::Checkup;
pub use judge::judge;
pub use limits::Limits;
pub use part::{Alive, Part};
pub use pulse::Pulse;
pub(crate) use queues::INBOX;
pub use seen::{Excuse, PartSeen, Progress, QueueSeen, Seen, StoreSeen, Trouble};
pub use verdict::{Effect, Reason, Verdict};
