//! Rows of messages and units that left the straight path.

use std::time::Duration;

use dipmo_domain::{ErrorStage, Failure, Fingerprint, Lane, OrderKey, Timestamp};
use dipmo_outbox::JobId;

use crate::failure_groups::Groups;
use crate::sql::{self, Call, Which, params};
use crate::types::PgTime;

/// Where one message or unit stands.
pub(crate) struct ExceptionRow {
    pub(crate) id: i64,
    /// RECEIVED_AT or CREATED_AT of its log row; `None` is this transaction's time.
    pub(crate) logged_at: Option<Timestamp>,
    /// The destination; empty in the inbox.
    pub(crate) queue: String,
    pub(crate) lane: Lane,
    pub(crate) order_key: Option<OrderKey>,
    pub(crate) status: &'static str,
    /// It was tried: one more attempt, and the status counts.
    pub(crate) tried: bool,
    pub(crate) due_in: Option<Duration>,
    pub(crate) ended: bool,
    pub(crate) held: bool,
    pub(crate) parked_until: Option<Timestamp>,
    pub(crate) outcome: Option<&'static str>,
    pub(crate) error_stage: Option<ErrorStage>,
    pub(crate) failure: Option<Failure>,
    pub(crate) external_ref: Option<String>,
    /// The job that it is in.
    pub(crate) job: Option<JobId>,
}

impl ExceptionRow {
    /// A row that waits for nothing and never failed.
    pub(crate) const fn new(
        id: i64,
        logged_at: Option<Timestamp>,
        lane: Lane,
        status: &'static str,
    ) -> Self {
        Self {
            id,
            logged_at,
            queue: String::new(),
            lane,
            order_key: None,
            status,
            tried: false,
            due_in: None,
            ended: false,
            held: false,
            parked_until: None,
            outcome: None,
            error_stage: None,
            failure: None,
            external_ref: None,
            job: None,
        }
    }
}

/// Rows of one box, to be written in one statement.
pub(crate) struct Exceptions {
    which: Which,
    rows: Vec<ExceptionRow>,
    fingerprints: Vec<Option<Fingerprint>>,
    groups: Groups,
}

impl Exceptions {
    pub(crate) fn of(which: Which) -> Self {
        Self { which, rows: Vec::new(), fingerprints: Vec::new(), groups: Groups::default() }
    }

    pub(crate) fn push(&mut self, row: ExceptionRow) {
        let failure = row.failure.as_ref();
        let group = |failure| self.groups.add(self.which, row.error_stage, failure, row.id);
        self.fingerprints.push(failure.map(group));
        self.rows.push(row);
    }

    /// The statement, none for no rows; and the groups of the failures that it writes, which are
    /// written last in the transaction.
    pub(crate) fn call(self) -> (Option<Call>, Groups) {
        let Self { which, rows, fingerprints, groups } = self;
        if rows.is_empty() {
            return (None, groups);
        }
        macro_rules! column {
            ($of:expr) => {
                rows.iter().map($of).collect::<Vec<_>>()
            };
        }
        let call = sql::exception_put(which).with(params![
            column!(|row| row.id),
            column!(|row| row.logged_at.map(PgTime)),
            column!(|row| row.queue.clone()),
            column!(|row| i16::from(row.lane.index())),
            column!(|row| row.order_key.as_ref().map(|key| key.as_str().to_owned())),
            column!(|row| row.status),
            column!(|row| i32::from(row.tried)),
            column!(|row| row.due_in.map(micros)),
            column!(|row| row.ended),
            column!(|row| row.held),
            column!(|row| row.parked_until.map(PgTime)),
            column!(|row| row.outcome),
            column!(|row| row.error_stage.map(ErrorStage::as_str)),
            column!(|row| row.failure.as_ref().map(|failure| failure.code().to_owned())),
            column!(|row| row.failure.as_ref().map(|failure| failure.message().to_owned())),
            column!(|row| row.external_ref.clone()),
            column!(|row| row.job.map(|job| job.0)),
            fingerprints.iter().map(|group| group.map(|group| group.0)).collect::<Vec<_>>(),
        ]);
        (Some(call), groups)
    }
}

/// A duration as the statements take it; a century is as good as for ever.
pub(crate) fn micros(duration: Duration) -> i64 {
    const CENTURY: i64 = 100 * 365 * 86_400 * 1_000_000;
    i64::try_from(duration.as_micros()).unwrap_or(CENTURY).min(CENTURY)
}
