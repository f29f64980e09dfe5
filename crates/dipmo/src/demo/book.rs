//! The producer's book: what must have come of everything that it sent.
//!
//! It is written from the rules of the processes as their pages in `docs/processes/` tell them,
//! and never asks their code: what dipmo did is compared with it at the end.

use dipmo_domain::Outcome;
use serde_json::Value;

/// Everything that was promised, story by story.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) promises: Vec<Promise>,
}

/// What must have come of one aggregate.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    /// What kind of story it is, for people.
    pub(crate) plot: &'static str,
    /// The process that takes it.
    pub(crate) process: &'static str,
    /// Its instance, and what its messages and effects are about.
    pub(crate) aggregate: String,
    /// The ways in which it may end, the usual one first. There are more than one where a timer
    /// races an answer: whoever is first wins, and either is right, but not a bit of both.
    pub(crate) endings: Vec<Ending>,
    /// What nobody can decode, by the id of its message: it is kept byte for byte.
    pub(crate) kept: Vec<(String, Vec<u8>)>,
}

/// One way for a story to end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ending {
    /// The state of the instance; `None` when there is to be no instance.
    pub(crate) state: Option<&'static str>,
    /// Every message by its id, and how it ends.
    pub(crate) messages: Vec<(String, Fate)>,
    /// Everything that goes out, in order.
    pub(crate) effects: Vec<Expected>,
    /// Whether a timer of the instance decided it.
    pub(crate) by_timer: bool,
    /// Records that Salesforce must have, or must have refused.
    pub(crate) records: Vec<RecordPromise>,
    /// Deliveries to Salesforce, each an instance of its own.
    pub(crate) deliveries: Vec<DeliveryPromise>,
}

/// What must have become of one record at Salesforce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordPromise {
    pub(crate) object: &'static str,
    /// Its external id, which is the key of its row too.
    pub(crate) key: String,
    /// The newest version of it.
    pub(crate) version: i64,
    /// The code that Salesforce refuses it with, if it does.
    pub(crate) refused: Option<&'static str>,
}

/// What the process that asked for a delivery must have heard of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeliveryPromise {
    pub(crate) process: &'static str,
    pub(crate) id: String,
    pub(crate) delivered: u64,
    pub(crate) failed: Vec<String>,
}

impl DeliveryPromise {
    pub(crate) const fn state(&self) -> &'static str {
        if self.failed.is_empty() { "DELIVERED" } else { "PARTLY_FAILED" }
    }
}

/// How a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// PROCESSED, with this outcome.
    Ended(Outcome),
    /// FAILED, with this code.
    Failed(&'static str),
    /// Waits behind one that failed.
    Held,
    /// SERDE_ERROR.
    Undecodable,
}

/// An intent that must be written and delivered once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expected {
    pub(crate) destination: &'static str,
    pub(crate) label: String,
}

impl Expected {
    pub(crate) fn new(destination: &'static str, event_type: &str, payload: &Value) -> Self {
        Self { destination, label: label(event_type, payload) }
    }

    /// One that names records.
    pub(crate) fn of_records(
        destination: &'static str,
        event_type: &str,
        payload: &Value,
        keys: &[&str],
    ) -> Self {
        Self { destination, label: label_of_records(event_type, payload, keys) }
    }
}

impl Ending {
    /// The same, with another fate for one message.
    pub(crate) fn but(mut self, id: &str, fate: Fate) -> Self {
        for (other, its) in &mut self.messages {
            if other == id {
                *its = fate;
            }
        }
        self
    }

    /// The same, in this state because a timer came first.
    pub(crate) fn timed_out(mut self, state: &'static str) -> Self {
        (self.state, self.by_timer) = (Some(state), true);
        self
    }

    /// True when a message of it waits for a person: what comes later for the aggregate waits too.
    pub(crate) fn is_blocked(&self) -> bool {
        self.messages.iter().any(|(_, fate)| matches!(fate, Fate::Failed(_)))
    }

    /// What is to arrive at a destination, in order.
    pub(crate) fn effects_to(&self, destination: &str) -> Vec<String> {
        let fits = |effect: &&Expected| effect.destination == destination;
        self.effects.iter().filter(fits).map(|effect| effect.label.clone()).collect()
    }
}

/// What an event is compared by: its type and its payload, however its bytes are laid out.
pub(crate) fn label(event_type: &str, payload: &Value) -> String {
    format!("{event_type} {payload}")
}

/// The same for an event that names records: how many, the first and the last.
pub(crate) fn label_of_records(event_type: &str, payload: &Value, keys: &[&str]) -> String {
    let label = label(event_type, payload);
    match keys {
        [] => label,
        [only] => format!("{label} for {only}"),
        [first, .., last] => format!("{label} for {} records {first} … {last}", keys.len()),
    }
}
