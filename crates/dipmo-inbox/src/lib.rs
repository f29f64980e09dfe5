//! The INBOX: every message is stored here before anything happens because of it.
//!
//! ```text
//!  NewMessage ──► RECEIVED ──► PROCESSED (DONE, DUPLICATE, STALE, IGNORED, SKIPPED)
//!                    │  ▲ ▲
//!                    │  │ └── released ── held behind the head of its order key
//!                    ▼  │
//!                  RETRY (due later) ──► FAILED (needs a person)
//!  undecodable ──► SERDE_ERROR (bytes kept; reparse brings it back to RECEIVED)
//! ```
//!
//! **Invariant:** a [`NewMessage`] fits every column of every store, and gives back every byte of
//! the record that it was made of. Nothing here knows Kafka, a database or a process.

pub mod dead_letter;
mod hold;
mod load;
mod message;
mod offset;
mod originals;
mod port;
mod record;
mod replay;
mod restore;
mod returned;
mod row;
mod same_order;
mod whereabouts;

pub use dead_letter::{DeadLetter, DeadLetterError, Ending};
pub use hold::Hold;
pub use load::{InboxLoad, PressureLimits};
pub use message::{Body, NewMessage};
pub use offset::{SourceOffset, SourceRange};
pub use originals::Originals;
pub use port::{Inbox, Stored};
pub use record::{Identity, Record};
pub use replay::{ANSWERS, REPLAY_OF, is_replay, replay_id};
pub use restore::RestoreError;
pub use returned::{BroughtBack, Ended, Returned};
pub use row::{InboxRow, Message};
pub use same_order::SameOrder;
pub use whereabouts::Whereabouts;
