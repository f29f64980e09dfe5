//! The life of a job, and what is refused in which part of it.
//!
//! ```text
//! Open ──close──▶ UploadComplete ──▶ InProgress ──▶ JobComplete
//!   │                   │                 │      └──▶ Failed
//!   └──────abort────────┴────────abort────┴─────────▶ Aborted
//! ```

use crate::refusal::Refusal;

/// The `state` of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    UploadComplete,
    InProgress,
    JobComplete,
    Failed,
    Aborted,
}

/// What a client may ask of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Upload,
    Close,
    Abort,
    Delete,
    ReadResults,
}

impl State {
    /// As the API writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            State::Open => "Open",
            State::UploadComplete => "UploadComplete",
            State::InProgress => "InProgress",
            State::JobComplete => "JobComplete",
            State::Failed => "Failed",
            State::Aborted => "Aborted",
        }
    }

    /// Whether nothing happens to the job any more.
    pub(super) fn is_over(self) -> bool {
        matches!(self, State::JobComplete | State::Failed | State::Aborted)
    }

    /// Whether a wish is granted in this state.
    ///
    /// The words about closing and aborting are those of Salesforce; of the others only the code is
    /// documented.
    pub(super) fn allow(self, wish: Wish) -> Result<(), Refusal> {
        let problem = match (wish, self) {
            (Wish::Upload | Wish::Close, State::Open)
            | (Wish::Abort, State::Open | State::UploadComplete | State::InProgress)
            | (
                Wish::Delete,
                State::UploadComplete | State::JobComplete | State::Failed | State::Aborted,
            )
            | (Wish::ReadResults, State::JobComplete | State::Failed | State::Aborted) => {
                return Ok(());
            }
            (Wish::Close, _) => format!("Closing already {} Job not allowed", self.past()),
            (Wish::Abort, _) => format!("Aborting already {} Job not allowed", self.past()),
            (Wish::Upload, _) => {
                format!("Data can be uploaded to an Open Job only, this one is {}", self.name())
            }
            (Wish::Delete, _) => format!("Deleting a Job in state {} not allowed", self.name()),
            (Wish::ReadResults, _) => {
                format!("Job results are not available in state {}", self.name())
            }
        };
        Err(Refusal::new("INVALIDJOBSTATE", problem))
    }

    /// How the messages name a state that is behind.
    fn past(self) -> &'static str {
        match self {
            State::Open => "opened",
            State::UploadComplete | State::InProgress => "closed",
            State::JobComplete => "Completed",
            State::Failed => "Failed",
            State::Aborted => "Aborted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_in_which_state() {
        use State::{Aborted, Failed, InProgress, JobComplete, Open, UploadComplete};
        let all = [Open, UploadComplete, InProgress, JobComplete, Failed, Aborted];
        let allowed: [(Wish, &[State]); 5] = [
            (Wish::Upload, &[Open]),
            (Wish::Close, &[Open]),
            (Wish::Abort, &[Open, UploadComplete, InProgress]),
            (Wish::Delete, &[UploadComplete, JobComplete, Failed, Aborted]),
            (Wish::ReadResults, &[JobComplete, Failed, Aborted]),
        ];
        for (wish, states) in allowed {
            for state in all {
                let answer = state.allow(wish);
                assert_eq!(answer.is_ok(), states.contains(&state), "{wish:?} in {state:?}");
                assert!(answer.err().is_none_or(|refusal| refusal.code == "INVALIDJOBSTATE"));
            }
        }
    }

    #[test]
    fn the_words_of_a_refusal_name_what_the_job_already_is() {
        let cases = [
            (Wish::Close, State::JobComplete, "Closing already Completed Job not allowed"),
            (Wish::Close, State::UploadComplete, "Closing already closed Job not allowed"),
            (Wish::Abort, State::JobComplete, "Aborting already Completed Job not allowed"),
            (Wish::Abort, State::Aborted, "Aborting already Aborted Job not allowed"),
        ];
        for (wish, state, message) in cases {
            assert_eq!(state.allow(wish).unwrap_err().message, message);
        }
    }
}
