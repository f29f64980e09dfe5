//! What dipmo says happened: the rows of the store, and what the destinations recorded.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_domain::{InboxStatus, Json, OutboxStatus, Outcome, ProcessKey, StoreError, Value};
use dipmo_inbox::InboxRow;
use dipmo_outbox::OutboxRow;
use dipmo_store::{StateRow, Store};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::book::{Book, label};
use super::downstream::ReadBack;
use super::listener::Heard;
use super::progress::Figures;
use super::recorder::{Arrivals, Recorder};
use super::wire::Wire;

/// How many instances are read at once.
const AT_ONCE: usize = 4;

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
}

/// An intent of the outbox.
#[derive(Clone, Debug)]
pub(crate) struct IntentFact {
    pub(crate) id: i64,
    pub(crate) destination: String,
    pub(crate) aggregate: String,
    pub(crate) label: String,
    pub(crate) status: OutboxStatus,
}

/// Reads all of it.
pub(crate) async fn collect(
    store: &Arc<dyn Store>,
    registry: &Registry,
    book: &Book,
    recorder: &Recorder,
    (sent, wire, read_back): (Figures, &Wire, ReadBack),
) -> Result<Facts, StoreError> {
    let mut inbox: Vec<_> = store.inbox_rows(EVERYTHING).await?.iter().map(message).collect();
    inbox.reverse();
    let mut outbox: Vec<_> = store.outbox_rows(EVERYTHING).await?.iter().map(intent).collect();
    outbox.reverse();
    let (arrived, redelivered) = recorder.arrived();
    let (lost_on_the_wire, found_on_the_wire) = wire.left();
    let mut facts = Facts {
        sent,
        inbox,
        outbox,
        lost_on_the_wire,
        found_on_the_wire,
        read_back,
        arrived,
        redelivered,
        ..Facts::default()
    };
    facts.incidents = store.incidents(EVERYTHING).await?.len();
    for promise in &book.promises {
        let (process, aggregate) = (promise.process, promise.aggregate.clone());
        facts.states.insert((process, aggregate), String::new());
    }
    read_instances(store, &mut facts).await?;
    if let Some(hits) = registry.domain_tables().iter().find(|table| table.name == "HITS") {
        let rows = store.domain_rows(hits).await?;
        let text = |value: Option<&Value>| value.and_then(Value::as_text).unwrap_or("").to_owned();
        facts.hits =
            rows.iter().map(|row| (text(row.get("HIT_ID")), text(row.get("STATUS")))).collect();
    }
    Ok(facts)
}

/// As many rows as there are: what the databases take for a limit.
const EVERYTHING: u32 = i32::MAX as u32;

/// The state of each instance that was promised, and what the listener heard of it.
async fn read_instances(store: &Arc<dyn Store>, facts: &mut Facts) -> Result<(), StoreError> {
    let wanted = std::mem::take(&mut facts.states);
    let reads = wanted.into_keys().map(|(process, aggregate)| async move {
        let read = async |process: &str| {
            let key = ProcessKey { process: process.to_owned(), id: aggregate.clone() };
            store.instance(&key).await
        };
        let (row, heard) = (read(process).await?, read("LISTENER").await?);
        Ok::<_, StoreError>(((process, aggregate), row, heard))
    });
    let mut found = stream::iter(reads).buffer_unordered(AT_ONCE);
    while let Some((key, row, heard)) = found.try_next().await? {
        if let Some(heard) = heard {
            facts.heard.insert(key.1.clone(), labels(&heard));
        }
        if let Some(row) = row {
            facts.states.insert(key, row.state);
        }
    }
    Ok(())
}

fn labels(row: &StateRow) -> Vec<String> {
    row.context.read().map_or_else(|error| vec![error.to_string()], |heard: Heard| heard.labels)
}

fn message(row: &InboxRow) -> MessageFact {
    let message = &row.message;
    MessageFact {
        id: message.message_id.clone(),
        source: message.source_system.clone(),
        aggregate: message.aggregate_id.clone().unwrap_or_default(),
        label: named(message.event_type.as_deref(), message.payload.as_ref()),
        status: row.status,
        outcome: row.outcome,
        code: row.failure.as_ref().map(|failure| failure.code().to_owned()),
        is_held: row.held_behind.is_some(),
    }
}

fn intent(row: &OutboxRow) -> IntentFact {
    IntentFact {
        id: row.id.0,
        destination: row.destination.to_string(),
        aggregate: row.aggregate_id.clone(),
        label: named(Some(&row.event_type), Some(&row.payload)),
        status: row.status,
    }
}

fn named(event_type: Option<&str>, payload: Option<&Json>) -> String {
    let payload = payload.and_then(|json| json.read().ok()).unwrap_or_default();
    label(event_type.unwrap_or_default(), &payload)
}
