//! Rows of messages and units that left the straight path.

use dipmo_domain::{ErrorStage, Failure, Lane, OrderKey, Outcome, StoreError, Timestamp};
use dipmo_outbox::JobId;
use rusqlite::params;

use crate::failures;
use crate::sql::{self, Which};
use crate::tx::Tx;

/// Where one message or unit stands.
#[derive(Debug)]
pub(crate) struct ExceptionRow<'a> {
    pub(crate) id: i64,
    /// RECEIVED_AT or CREATED_AT of its log row.
    pub(crate) logged_at: Timestamp,
    /// The destination; empty in the inbox.
    pub(crate) queue: &'a str,
    pub(crate) lane: Lane,
    pub(crate) order_key: Option<&'a OrderKey>,
    pub(crate) status: &'static str,
    pub(crate) attempts: u32,
    pub(crate) due: Option<Timestamp>,
    pub(crate) ended: Option<Timestamp>,
    pub(crate) held: bool,
    pub(crate) parked_until: Option<Timestamp>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) error_stage: Option<ErrorStage>,
    /// `None` keeps the one that is there.
    pub(crate) failure: Option<&'a Failure>,
    pub(crate) external_ref: Option<&'a str>,
    /// The job that it is in.
    pub(crate) job: Option<JobId>,
}

impl<'a> ExceptionRow<'a> {
    /// A row that waits for nothing and never failed.
    pub(crate) const fn new(
        id: i64,
        logged_at: Timestamp,
        (queue, lane): (&'a str, Lane),
        order_key: Option<&'a OrderKey>,
        status: &'static str,
    ) -> Self {
        Self {
            id,
            logged_at,
            queue,
            lane,
            order_key,
            status,
            attempts: 0,
            due: None,
            ended: None,
            held: false,
            parked_until: None,
            outcome: None,
            error_stage: None,
            failure: None,
            external_ref: None,
            job: None,
        }
    }

    /// Writes the row, over the one that is there, and its failure into its group.
    pub(crate) fn put(&self, tx: &Tx<'_>, which: Which) -> Result<(), StoreError> {
        let see = |failure| failures::see(tx, which, self.id, self.error_stage, failure);
        let fingerprint = self.failure.map(see).transpose()?;
        let params = params![
            self.id,
            self.logged_at.as_micros(),
            self.queue,
            self.lane.index(),
            self.order_key.map(OrderKey::as_str),
            self.status,
            self.attempts,
            self.due.map(Timestamp::as_micros),
            self.ended.map(Timestamp::as_micros),
            self.held,
            self.parked_until.map(Timestamp::as_micros),
            self.outcome.map(Outcome::as_str),
            self.error_stage.map(ErrorStage::as_str),
            self.failure.map(Failure::code),
            self.failure.map(Failure::message),
            self.external_ref,
            self.job.map(|job| job.0),
            fingerprint.map(|fingerprint| fingerprint.0),
        ];
        tx.run(&sql::exception_put(which), params).map(drop)
    }
}
