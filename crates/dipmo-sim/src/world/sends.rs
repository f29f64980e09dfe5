//! What an account sends, and what of it must be in the outbox.

use dipmo_api::Effect;
use dipmo_domain::{Destination, RecordKey, SalesforceApi};
use serde::{Deserialize, Serialize};

use super::mirror::Copied;

/// One effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Send {
    /// To a destination that keeps order.
    Kafka { outcome: bool },
    /// Records at a destination that does not.
    Records { keys: Vec<String>, outcome: bool },
    /// Records at a destination that takes jobs.
    Bulk { keys: Vec<String>, outcome: bool },
    /// To an instance of the other process.
    Mirror { to: String },
    /// To a function.
    Mail { outcome: bool },
}

/// A row that must be in the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) destination: Destination,
    pub(crate) event_type: String,
    pub(crate) records: Vec<RecordKey>,
    pub(crate) outcome: bool,
}

/// What message `n` of an account puts into the outbox, in order.
pub(crate) fn expected_intents(n: u32, sends: &[Send]) -> Vec<Expected> {
    sends.iter().enumerate().map(|(place, send)| send.expected(n, place)).collect()
}

impl Send {
    fn expected(&self, n: u32, place: usize) -> Expected {
        let (destination, outcome) = match self {
            Self::Kafka { outcome } => (kafka(), *outcome),
            Self::Records { outcome, .. } => (salesforce(SalesforceApi::Rest), *outcome),
            Self::Bulk { outcome, .. } => (salesforce(SalesforceApi::BulkV2), *outcome),
            Self::Mirror { .. } => (internal("mirror"), false),
            Self::Mail { outcome } => (internal("mail"), *outcome),
        };
        let event_type = match self {
            Self::Mirror { .. } => "Copied".to_owned(),
            _ => format!("Sent{n}.{place}"),
        };
        let records = match self {
            Self::Records { keys, .. } | Self::Bulk { keys, .. } => {
                keys.iter().cloned().map(RecordKey).collect()
            }
            _ => Vec::new(),
        };
        Expected { destination, event_type, records, outcome }
    }

    /// The effect of message `n` of an account.
    pub(super) fn effect(&self, account: &str, n: u32, place: usize) -> Effect {
        let expected = self.expected(n, place);
        let effect =
            Effect::new(expected.destination, expected.event_type).records(expected.records);
        let effect = if expected.outcome { effect.expects_outcome() } else { effect };
        match self {
            Self::Mirror { to } => {
                effect.payload(&Copied { to: to.clone(), account: account.to_owned(), n })
            }
            _ => effect.payload(&n),
        }
    }
}

fn kafka() -> Destination {
    Destination::Kafka { topic: "ledger".to_owned() }
}

fn internal(name: &str) -> Destination {
    Destination::Internal { name: Some(name.to_owned()) }
}

fn salesforce(api: SalesforceApi) -> Destination {
    Destination::Salesforce { org: None, api, object: "Account".to_owned() }
}
