//! Where a message stands, as whoever sent it may know: never what is in it.

use dipmo_domain::{InboxId, InboxStatus, Outcome};

/// Where a message stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whereabouts {
    /// The message.
    pub message: InboxId,
    /// `STATUS`. A message whose row is history by now has ended: it is PROCESSED.
    pub status: InboxStatus,
    /// `OUTCOME`: how it ended, when it did and its row is still there.
    pub outcome: Option<Outcome>,
    /// `ATTEMPTS`: how often processing was tried; 0 for one whose row is history.
    pub attempts: u32,
    /// `ERROR_CODE` of the last failure. Its message may tell of a payload, and is not here.
    pub error_code: Option<String>,
}

impl Whereabouts {
    /// A message of which only its dedupe id is left: what has not ended is never dropped.
    #[must_use]
    pub const fn of_history(message: InboxId) -> Self {
        let status = InboxStatus::Processed;
        Self { message, status, outcome: None, attempts: 0, error_code: None }
    }
}
