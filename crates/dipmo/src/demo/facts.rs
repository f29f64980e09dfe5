//! What dipmo says happened, and those that it delivered to: all that the ledger compares with the
//! book.

use std::collections::HashMap;

use dipmo_domain::{InboxStatus, OutboxStatus, Outcome};

use super::downstream::ReadBack;
use super::org::OrgFacts;
use super::progress::Figures;
use super::recorder::Arrivals;

/// Everything that the ledger compares with the book.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// What the producer counted.
    pub(crate) sent: Figures,
    /// The inbox, oldest first.
    pub(crate) inbox: Vec<MessageFact>,
    /// The outbox, oldest first.
    pub(crate) outbox: Vec<IntentFact>,
    /// Incidents: ids that came with another content.
    pub(crate) incidents: usize,
    /// The state of each instance that is there, by process and aggregate.
    pub(crate) states: HashMap<(&'static str, String), String>,
    /// What the listener remembers, by aggregate.
    pub(crate) heard: HashMap<String, Vec<String>>,
    /// STATUS of each row of HITS.
    pub(crate) hits: HashMap<String, String>,
    /// VERSION of each row of the tables that Salesforce gets, by object and key.
    pub(crate) rows: HashMap<(&'static str, String), i64>,
    /// What deliveries to Salesforce remember of how they went, by process and instance.
    pub(crate) deliveries: HashMap<(&'static str, String), DeliveryFact>,
    /// What Salesforce has.
    pub(crate) org: OrgFacts,
    /// Records that Kafka took and that never came to the inbox.
    pub(crate) lost_on_the_wire: Vec<String>,
    /// Records that came to the inbox and that nobody sent.
    pub(crate) found_on_the_wire: Vec<String>,
    /// Records on the topics that dipmo publishes to.
    pub(crate) read_back: ReadBack,
    /// What arrived at the destinations.
    pub(crate) arrived: Arrivals,
    /// How many deliveries came again and changed nothing.
    pub(crate) redelivered: u64,
}

/// A message of the inbox.
#[derive(Clone, Debug)]
pub(crate) struct MessageFact {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) aggregate: String,
    pub(crate) label: String,
    pub(crate) status: InboxStatus,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) code: Option<String>,
    pub(crate) is_held: bool,
    /// The bytes of one that could not be decoded, as they were kept.
    pub(crate) kept: Option<Vec<u8>>,
}

/// An intent of the outbox.
#[derive(Clone, Debug)]
pub(crate) struct IntentFact {
    pub(crate) id: i64,
    pub(crate) destination: String,
    pub(crate) aggregate: String,
    pub(crate) label: String,
    pub(crate) status: OutboxStatus,
    /// Its records, of an intent to Salesforce.
    pub(crate) records: Vec<RecordFact>,
}

/// One record of an intent.
#[derive(Clone, Debug)]
pub(crate) struct RecordFact {
    pub(crate) key: String,
    pub(crate) status: OutboxStatus,
    pub(crate) code: Option<String>,
}

/// How a delivery went, as its process heard it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeliveryFact {
    pub(crate) state: String,
    pub(crate) delivered: u64,
    pub(crate) failed: Vec<String>,
}

impl IntentFact {
    /// The object that it goes to, if it goes to Salesforce.
    pub(crate) fn object(&self) -> Option<&str> {
        let rest = self.destination.strip_prefix("HTTP:SFDC:")?;
        rest.split_once(':').map(|(_, object)| object)
    }
}
