//! Faults as rows and jobs see them.

use std::sync::Arc;
use std::time::Duration;

use crate::fault::matcher::RowTarget;
use crate::fault::rule::Fault;
use crate::fault::{Faults, code};
use crate::refusal::Refusal;
use crate::server::api::Api;

/// Refuses rows where a rule says so.
#[derive(Clone, Debug)]
pub(crate) struct RowFaults {
    faults: Arc<Faults>,
    api: Api,
}

impl RowFaults {
    pub(crate) fn new(faults: Arc<Faults>, api: Api) -> Self {
        RowFaults { faults, api }
    }

    /// Why this row is refused, if it is. The key is the external id of an upsert, else the id of
    /// the record, else nothing.
    pub(crate) fn refuse(&self, object: &str, key: &str) -> Option<Refusal> {
        self.faults.for_row(&RowTarget { api: self.api, object, key })
    }
}

/// What a row is refused with.
pub(crate) fn refusal(fault: Fault) -> Option<Refusal> {
    match fault {
        Fault::RowLock {} => Some(Refusal::new(
            "UNABLE_TO_LOCK_ROW",
            "unable to obtain exclusive access to this record or 1 records",
        )),
        Fault::RowRefusal { code, message, fields } => {
            Some(Refusal::new(code::known(&code)?, message).about(fields))
        }
        _ => None,
    }
}

/// What happens to a job: the rows before `after_rows` run as usual, and then comes its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobFault {
    pub(crate) after_rows: u64,
    pub(crate) end: JobEnd,
}

/// How a job ends, or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JobEnd {
    /// Failed with this `errorMessage`; the other rows are unprocessed.
    Failed { message: String },
    /// Aborted; the other rows are unprocessed.
    Aborted,
    /// InProgress for so long, and then it goes on as usual.
    Stuck { hold: Duration },
    /// JobComplete, and the other rows are unprocessed.
    Unprocessed,
    /// Every later call about the job is answered with 404.
    Vanished,
}

impl JobFault {
    pub(crate) fn of(fault: Fault) -> Option<Self> {
        let (after_rows, end) = match fault {
            Fault::JobFailed { message, after_rows } => (after_rows, JobEnd::Failed { message }),
            Fault::JobAborted { after_rows } => (after_rows, JobEnd::Aborted),
            Fault::JobStuck { hold, after_rows } => (after_rows, JobEnd::Stuck { hold: hold.0 }),
            Fault::JobUnprocessed { after_rows } => (after_rows, JobEnd::Unprocessed),
            Fault::JobVanished { after_rows } => (after_rows, JobEnd::Vanished),
            _ => return None,
        };
        Some(JobFault { after_rows, end })
    }
}
