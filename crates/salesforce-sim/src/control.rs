//! What a Rust test asks of the simulator itself: the same as `/__sim` gives to other languages.

use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::inspect;
use crate::report::{Credentials, LedgerEntry, LoggedCall, RecordNow};
use crate::server::answer::{Answer, Body};
use crate::{Error, Simulator};

impl Simulator {
    /// What the first app that has a secret logs in with.
    #[must_use]
    pub fn credentials(&self) -> Option<Credentials> {
        let (client_id, client_secret) = self.world.apps.with_secret()?;
        let (client_id, client_secret) = (client_id.to_owned(), client_secret.to_owned());
        Some(Credentials { client_id, client_secret })
    }

    /// Replaces the fault rules. They are those of `POST /__sim/faults`, such as
    /// `json!({ "rules": [{ "times": 1, "fault": { "kind": "timeout_after" } }] })`.
    ///
    /// # Errors
    ///
    /// [`Error::Asked`] if a rule is wrong, and then nothing changes.
    pub fn faults(&self, rules: Json) -> Result<(), Error> {
        let rules = serde_json::from_value(rules).map_err(|error| asked(error.to_string()))?;
        self.world.faults.set(rules, &self.world.schema).map_err(asked)
    }

    /// Ends all faults.
    pub fn clear_faults(&self) {
        self.world.faults.clear();
    }

    /// Ends all sessions: whoever is logged in must log in again.
    pub fn end_sessions(&self) {
        self.world.sessions.revoke_all();
    }

    /// Makes all as it was at the start, but for who is logged in.
    pub fn reset(&self) {
        self.world.reset(false);
    }

    /// Moves the org's time forward, so that sessions end and limits begin anew.
    pub fn advance(&self, by: Duration) {
        self.world.clock.advance(by);
    }

    /// What was applied under each external id of an object (its first external id field), in the
    /// order of their first writes.
    ///
    /// # Errors
    ///
    /// [`Error::Asked`] if there is no such object, or it has no external id.
    pub fn ledger(&self, object: &str) -> Result<Vec<LedgerEntry>, Error> {
        #[derive(Deserialize)]
        struct Ledger {
            entries: Vec<LedgerEntry>,
        }
        let query = [("object".to_owned(), object.to_owned())];
        let Ledger { entries } = typed(inspect::ledger(&self.world, &query))?;
        Ok(entries)
    }

    /// The records of an object as they are, deleted ones too.
    ///
    /// # Errors
    ///
    /// [`Error::Asked`] if there is no such object.
    pub fn records(&self, object: &str) -> Result<Vec<RecordNow>, Error> {
        #[derive(Deserialize)]
        struct Page {
            records: Vec<RecordNow>,
        }
        let every = [("limit".to_owned(), usize::MAX.to_string())];
        let Page { records } = typed(inspect::records(&self.world, object, &every))?;
        Ok(records)
    }

    /// The calls that came since the start or the last reset, the oldest first. A call is there as
    /// soon as it was applied, even while its answer is held back.
    #[must_use]
    pub fn calls(&self) -> Vec<LoggedCall> {
        self.world.calls.show(usize::MAX, |_| true)
    }
}

fn asked(problem: String) -> Error {
    Error::Asked { problem }
}

/// The answer as a test in another language would have it, read into its type.
fn typed<T: DeserializeOwned>(asked_for: Result<Answer, Answer>) -> Result<T, Error> {
    match asked_for {
        Ok(answer) => {
            let text = answer.body.collect().map_err(|error| asked(error.to_string()))?;
            serde_json::from_slice(&text).map_err(|error| asked(error.to_string()))
        }
        Err(Answer { body: Body::Json(said), .. }) => {
            Err(asked(said["error"].as_str().unwrap_or_default().to_owned()))
        }
        Err(Answer { status, .. }) => Err(asked(format!("status {status}"))),
    }
}
