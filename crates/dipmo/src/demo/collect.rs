//! Reads what happened: the rows of the store, and what the destinations recorded.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_api::Registry;
use dipmo_domain::{Json, ProcessKey, StoreError, Value};
use dipmo_inbox::InboxRow;
use dipmo_outbox::OutboxRow;
use dipmo_store::{StateRow, Store};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Deserialize;

use super::book::{Book, DeliveryPromise, label, label_of_records};
use super::facts::{DeliveryFact, Facts, IntentFact, MessageFact, RecordFact};
use super::listener::Heard;
use super::processes::SENT_TABLES;

/// How many instances and intents are read at once.
const AT_ONCE: usize = 4;
/// As many rows as there are: what the databases take for a limit.
const EVERYTHING: u32 = i32::MAX as u32;

/// What a delivery remembers of how it went, once it has heard of it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Remembered {
    delivered: Option<u64>,
    failed_ids: Option<Vec<String>>,
}

/// Adds all that the store knows to what is known already. `names` are those that the book has for messages
/// that tell none.
pub(crate) async fn from_store(
    store: &Arc<dyn Store>,
    registry: &Registry,
    (book, names): (&Book, &HashMap<String, String>),
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let rows = store.inbox_rows(EVERYTHING).await?;
    facts.inbox = rows.iter().rev().map(|row| message(row, names)).collect();
    let intents: Vec<OutboxRow> = store.outbox_rows(EVERYTHING).await?;
    let reads = intents.iter().rev().map(|row| intent(store, row));
    facts.outbox = stream::iter(reads).buffered(AT_ONCE).try_collect().await?;
    facts.incidents = store.incidents(EVERYTHING).await?.len();
    read_instances(store, book, facts).await?;
    read_deliveries(store, book, facts).await?;
    read_tables(store, registry, facts).await
}

/// The state of each instance that was promised, and what the listener heard of it.
async fn read_instances(
    store: &Arc<dyn Store>,
    book: &Book,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let reads = book.promises.iter().map(|promise| async move {
        let row = instance(store, promise.process, &promise.aggregate).await?;
        let heard = instance(store, "LISTENER", &promise.aggregate).await?;
        Ok::<_, StoreError>((promise, row, heard))
    });
    let mut found = stream::iter(reads).buffer_unordered(AT_ONCE);
    while let Some((promise, row, heard)) = found.try_next().await? {
        let aggregate = &promise.aggregate;
        if let Some(heard) = heard {
            facts.heard.insert(aggregate.clone(), labels(&heard));
        }
        if let Some(row) = row {
            facts.states.insert((promise.process, aggregate.clone()), row.state);
        }
    }
    Ok(())
}

async fn read_deliveries(
    store: &Arc<dyn Store>,
    book: &Book,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let endings = book.promises.iter().flat_map(|promise| &promise.endings);
    let reads = endings.flat_map(|ending| &ending.deliveries).map(|promise| async move {
        Ok::<_, StoreError>((promise, instance(store, promise.process, &promise.id).await?))
    });
    let mut found = stream::iter(reads).buffer_unordered(AT_ONCE);
    while let Some((DeliveryPromise { process, id, .. }, row)) = found.try_next().await? {
        if let Some(row) = row {
            facts.deliveries.insert((process, id.clone()), delivery(&row));
        }
    }
    Ok(())
}

async fn read_tables(
    store: &Arc<dyn Store>,
    registry: &Registry,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let text = |value: Option<&Value>| value.and_then(Value::as_text).unwrap_or("").to_owned();
    let number = |value: Option<&Value>| value.and_then(Value::as_integer).unwrap_or_default();
    for table in registry.domain_tables() {
        let sent = SENT_TABLES.iter().find(|(name, _)| *name == table.name);
        if table.name != "HITS" && sent.is_none() {
            continue;
        }
        for row in store.domain_rows(table).await? {
            match sent {
                Some((_, object)) => drop(
                    facts.rows.insert((object, text(row.get("ID"))), number(row.get("VERSION"))),
                ),
                None => drop(facts.hits.insert(text(row.get("HIT_ID")), text(row.get("STATUS")))),
            }
        }
    }
    Ok(())
}

async fn instance(
    store: &Arc<dyn Store>,
    process: &str,
    id: &str,
) -> Result<Option<StateRow>, StoreError> {
    store.instance(&ProcessKey { process: process.to_owned(), id: id.to_owned() }).await
}

fn labels(row: &StateRow) -> Vec<String> {
    row.context.read().map_or_else(|error| vec![error.to_string()], |heard: Heard| heard.labels)
}

fn delivery(row: &StateRow) -> DeliveryFact {
    let Remembered { delivered, failed_ids } = row.context.read().unwrap_or_default();
    DeliveryFact {
        state: row.state.clone(),
        delivered: delivered.unwrap_or_default(),
        failed: failed_ids.unwrap_or_default(),
    }
}

fn message(row: &InboxRow, names: &HashMap<String, String>) -> MessageFact {
    let message = &row.message;
    let id = names.get(&message.message_id).unwrap_or(&message.message_id);
    // What tells no aggregate is kept in order by its key.
    let aggregate = message.aggregate_id.as_ref().or(message.key_str.as_ref());
    let kept = message.raw_payload_base64.as_ref().and_then(|_| message.record().ok()?.value);
    MessageFact {
        id: id.clone(),
        source: message.source_system.clone(),
        aggregate: aggregate.cloned().unwrap_or_default(),
        label: label(
            message.event_type.as_deref().unwrap_or_default(),
            &read(message.payload.as_ref()),
        ),
        status: row.status,
        outcome: row.outcome,
        code: row.failure.as_ref().map(|failure| failure.code().to_owned()),
        is_held: row.held_behind.is_some(),
        kept,
    }
}

async fn intent(store: &Arc<dyn Store>, row: &OutboxRow) -> Result<IntentFact, StoreError> {
    let destination = row.destination.to_string();
    let rows =
        if destination.starts_with("HTTP:") { store.records(row.id).await? } else { Vec::new() };
    let records = rows.into_iter().map(|row| RecordFact {
        key: row.record.0,
        status: row.status,
        code: row.failure.map(|failure| failure.code().to_owned()),
    });
    let records: Vec<RecordFact> = records.collect();
    let keys: Vec<&str> = records.iter().map(|record| record.key.as_str()).collect();
    Ok(IntentFact {
        id: row.id.0,
        label: label_of_records(&row.event_type, &read(Some(&row.payload)), &keys),
        destination,
        aggregate: row.aggregate_id.clone(),
        status: row.status,
        records,
    })
}

fn read(payload: Option<&Json>) -> serde_json::Value {
    payload.and_then(|json| json.read().ok()).unwrap_or_default()
}
