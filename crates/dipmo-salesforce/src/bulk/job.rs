//! A job as Salesforce shows it.

use serde::Deserialize;

use crate::row_error::RowError;

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct BulkJob {
    /// Its id, of 18 characters.
    pub id: String,
    /// Where it stands.
    pub state: BulkState,
    /// How many rows were worked on, those that failed among them. A job that is refused as a whole
    /// has 0.
    #[serde(rename = "numberRecordsProcessed", default)]
    pub processed: u64,
    /// How many rows failed. That is normal, and no failure of the job.
    #[serde(rename = "numberRecordsFailed", default)]
    pub failed: u64,
    /// Why the job failed as a whole; see [`BulkJob::error`].
    #[serde(rename = "errorMessage", default)]
    pub error_message: Option<String>,
    /// The object.
    #[serde(default)]
    pub object: String,
    /// How often Salesforce itself began anew.
    #[serde(default)]
    pub retries: u64,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
pub enum BulkState {
    /// It waits for its data.
    Open,
    /// It has its data and waits for its turn.
    UploadComplete,
    /// It is being worked on.
    InProgress,
    /// It is over, whatever became of its rows.
    JobComplete,
    /// It is over and was refused as a whole, or gave up on the way.
    Failed,
    /// It is over because somebody ended it. Rows that were worked on stay as they are.
    Aborted,
}

impl BulkState {
    /// Whether nothing happens to the job any more.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::JobComplete | Self::Failed | Self::Aborted)
    }
}

impl BulkJob {
    /// Why the job ended before its time; its class tells what to do about rows that were not worked
    /// on.
    #[must_use]
    pub fn error(&self) -> Option<RowError> {
        let message = self.error_message.as_deref().unwrap_or_default();
        match self.state {
            BulkState::Failed => Some(RowError::from_job(message)),
            BulkState::Aborted => Some(RowError {
                code: "Aborted".to_owned(),
                message: "the job was aborted".to_owned(),
                fields: Vec::new(),
            }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::class::Class;

    fn job(state: &str, message: Option<&str>) -> BulkJob {
        let job = json!({ "id": "750", "state": state, "errorMessage": message });
        serde_json::from_value(job).unwrap()
    }

    #[test]
    fn why_a_job_ended_tells_what_to_do() {
        for (state, message, class) in [
            ("Failed", Some("InvalidBatch : Field name not found : X"), Some(Class::Misconfigured)),
            ("Failed", Some("ExceededQuota : too many"), Some(Class::QuotaExhausted)),
            ("Failed", Some("TooManyLockFailure : too many"), Some(Class::RowLocked)),
            ("Failed", Some("Timeout : too long"), Some(Class::Unprocessed)),
            ("Failed", Some("InternalServerError : oops"), Some(Class::Transient)),
            ("Failed", None, Some(Class::Permanent)),
            ("Aborted", None, Some(Class::Unprocessed)),
            ("JobComplete", None, None),
            ("InProgress", None, None),
        ] {
            let error = job(state, message).error();
            assert_eq!(error.map(|error| error.class()), class, "{state} {message:?}");
        }
    }
}
