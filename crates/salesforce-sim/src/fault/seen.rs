//! Faults as rows and jobs see them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::fault::matcher::RowTarget;
use crate::fault::rule::Fault;
use crate::fault::{Faults, code};
use crate::refusal::Refusal;
use crate::server::api::Api;

/// Refuses rows where a rule says so.
///
/// A call that meets a lock is undone and runs again. What was decided about its rows is kept, so
/// that no rule is used up by an attempt that never happened.
#[derive(Clone, Debug)]
pub(crate) struct RowFaults {
    faults: Arc<Faults>,
    api: Api,
    decided: Arc<Mutex<Vec<Decided>>>,
}

/// What was decided about a row.
#[derive(Debug)]
struct Decided {
    object: String,
    key: String,
    refusal: Option<Refusal>,
    /// Whether this attempt has asked for it.
    asked: bool,
}

impl RowFaults {
    pub(crate) fn new(faults: Arc<Faults>, api: Api) -> Self {
        RowFaults { faults, api, decided: Arc::default() }
    }

    /// Why this row is refused, if it is. The key is the external id of an upsert, else the id of
    /// the record, else nothing.
    pub(crate) fn refuse(&self, object: &str, key: &str) -> Option<Refusal> {
        let mut decided = self.decided();
        let before =
            decided.iter_mut().find(|row| !row.asked && row.object == object && row.key == key);
        if let Some(row) = before {
            row.asked = true;
            return row.refusal.clone();
        }
        let refusal = self.faults.for_row(&RowTarget { api: self.api, object, key });
        decided.push(Decided {
            object: object.to_owned(),
            key: key.to_owned(),
            refusal: refusal.clone(),
            asked: true,
        });
        refusal
    }

    /// The same rows come again.
    pub(crate) fn again(&self) {
        self.decided().iter_mut().for_each(|row| row.asked = false);
    }

    fn decided(&self) -> MutexGuard<'_, Vec<Decided>> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a row is refused with.
pub(crate) fn refusal(fault: Fault) -> Option<Refusal> {
    match fault {
        Fault::RowLock {} => Some(Refusal::of_record(
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
