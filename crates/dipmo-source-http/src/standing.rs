//! Where a request stands, as its client may know: never what is in it.

use dipmo_domain::InboxStatus;
use dipmo_inbox::Whereabouts;
use serde::Serialize;

/// Where a request stands.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Standing<'a> {
    key: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl<'a> Standing<'a> {
    pub(crate) fn new(key: &'a str, at: Whereabouts) -> Self {
        let status = match at.status {
            InboxStatus::Received => "received",
            InboxStatus::Retry => "retrying",
            InboxStatus::Processed => "processed",
            InboxStatus::Failed | InboxStatus::SerdeError => "failed",
        };
        let outcome = at.outcome.map(|outcome| outcome.as_str().to_ascii_lowercase());
        // What went wrong before it went well does not matter any more.
        let error = at.error_code.filter(|_| at.status != InboxStatus::Processed);
        Self { key, status, outcome, attempts: at.attempts, error }
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{InboxId, Outcome};

    use super::*;

    #[test]
    fn each_status_has_a_word() {
        let at = |status, outcome, code: Option<&str>| {
            let error_code = code.map(str::to_owned);
            let at = Whereabouts { message: InboxId(1), status, outcome, attempts: 2, error_code };
            serde_json::to_string(&Standing::new("K", at)).unwrap()
        };
        assert_eq!(
            at(InboxStatus::Received, None, None),
            r#"{"key":"K","status":"received","attempts":2}"#
        );
        assert_eq!(
            at(InboxStatus::Processed, Some(Outcome::Done), Some("was-busy")),
            r#"{"key":"K","status":"processed","outcome":"done","attempts":2}"#
        );
        assert_eq!(
            at(InboxStatus::Failed, None, Some("no-stock")),
            r#"{"key":"K","status":"failed","attempts":2,"error":"no-stock"}"#
        );
        assert!(at(InboxStatus::Retry, None, None).contains("retrying"));
    }
}
