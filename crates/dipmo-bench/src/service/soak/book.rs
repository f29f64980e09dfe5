//! What was sent, and whether all of it arrived: once, in order, and as it is now.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use anyhow::{Result, ensure};
use dipmo_inbox::NewMessage;
use rdkafka::Message as _;
use rdkafka::consumer::BaseConsumer;
use salesforce_sim::{LedgerEntry, Simulator};
use serde::Deserialize;
use serde_json::Value;

use crate::kafka::cluster;

/// The events of each account, in the order in which they were sent.
#[derive(Default)]
pub(super) struct Book {
    events: HashMap<String, Vec<u64>>,
    count: u64,
}

impl Book {
    /// Notes messages that are sent.
    pub(super) fn note(&mut self, messages: &[NewMessage]) {
        for message in messages {
            let account = message.aggregate_id.clone().unwrap_or_default();
            let id = digest(&message.message_id);
            self.events.entry(account).or_default().push(id);
            self.count += 1;
        }
    }

    /// How many were sent.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Fails unless a reader of the topic has all of them in order. What came again under its id is
    /// left out, as a reader who dedupes does.
    pub(super) fn check_topic(&self, consumer: &BaseConsumer) -> Result<()> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Event {
            event_id: String,
            aggregate_id: String,
        }
        let (mut seen, mut told) = (HashSet::new(), HashMap::<String, Vec<u64>>::new());
        while (seen.len() as u64) < self.count {
            let message = cluster::next(consumer)?;
            let event: Event = serde_json::from_slice(message.payload().unwrap_or_default())?;
            let id = digest(&event.event_id);
            if seen.insert(id) {
                told.entry(event.aggregate_id).or_default().push(id);
            }
        }
        for (account, events) in &self.events {
            ensure!(told.get(account) == Some(events), "{account} is not told as it was sent");
        }
        Ok(())
    }

    /// Fails unless each account ended in the org as its last event has it, and no older one came
    /// behind a newer one.
    pub(super) fn check_org(&self, org: &Simulator) -> Result<()> {
        let ledger = org.ledger("Contact")?;
        ensure!(ledger.len() == self.events.len(), "the org has {} contacts", ledger.len());
        for entry in &ledger {
            let account = entry.key.as_str().unwrap_or_default();
            let versions = versions(entry);
            let last = self.events.get(account).map(Vec::len);
            ensure!(versions.is_sorted(), "{account} went back: {versions:?}");
            ensure!(
                versions.last().copied() == last,
                "{account} has version {:?} instead of {last:?}",
                versions.last()
            );
        }
        Ok(())
    }
}

fn versions(entry: &LedgerEntry) -> Vec<usize> {
    let version = |fields: &serde_json::Map<String, Value>| fields.get("Version__c")?.as_f64();
    entry.tracked.iter().filter_map(|fields| version(fields).map(|it| it as usize)).collect()
}

fn digest(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
