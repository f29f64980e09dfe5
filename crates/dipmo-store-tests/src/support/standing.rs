//! Messages and units that stand in every way there is.

use std::time::Duration;

use dipmo_domain::{Destination, Failure, InboxId, Json, OutboxId, Outcome};
use dipmo_inbox::{Identity, NewMessage, Record};
use dipmo_outbox::{Attempt, Delivery, NewIntent, UnitResult};
use dipmo_store::{ClaimedMessage, SettlementKind, Store};

use super::{
    LONG, Script, batch, done, failed, intent, kafka, record_keys, retry, stored, take,
    with_record, write_intents,
};

/// A message of a topic, a source and a type; `name` is its aggregate, and its id with the number.
#[must_use]
pub fn told(topic: &str, source: &str, event_type: &str, name: &str, number: i64) -> NewMessage {
    let record = Record {
        topic: topic.to_owned(),
        offset: number,
        key: Some(name.as_bytes().to_vec()),
        timestamp_millis: -1,
        ..Record::default()
    };
    let identity = Identity {
        source_system: source.to_owned(),
        message_id: Some(format!("{name}/{number}")),
        aggregate_id: Some(name.to_owned()),
        event_type: Some(event_type.to_owned()),
        ..Identity::default()
    };
    NewMessage::decoded(&record, &identity, Json::parse(&format!("[{number}]")).unwrap())
}

/// Messages in this order: done, done at the second attempt, to be tried again, held behind that one, parked, failed,
/// skipped, ignored, undecodable, ready.
pub async fn every_message(store: &dyn Store) -> Vec<InboxId> {
    let poison = with_record(|record| record.value = Some(b"{".to_vec()));
    let messages = [
        told("orders", "crm", "Made", "done", 1),
        told("parts", "erp", "Changed", "late", 2),
        told("orders", "crm", "Changed", "again", 3),
        told("orders", "crm", "Made", "again", 4),
        told("parts", "crm", "Made", "parked", 5),
        told("orders", "erp", "Made", "failed", 6),
        told("parts", "erp", "Changed", "skipped", 7),
        told("orders", "crm", "Made", "ignored", 8),
        poison,
    ];
    let mut ids = stored(store, &messages).await;
    batch(store, Script::settling(first_attempt)).await.unwrap();
    batch(store, Script::process_all()).await.unwrap();
    store.skip(&ids[6..7]).await.unwrap();
    ids.extend(stored(store, &[told("parts", "crm", "Changed", "ready", 10)]).await);
    ids
}

fn first_attempt(claimed: &ClaimedMessage) -> SettlementKind {
    match claimed.message.offset {
        2 => retry(Duration::ZERO),
        3 => retry(LONG),
        4 => SettlementKind::Held,
        5 => SettlementKind::Parked { at_most: LONG },
        6 => failed(false),
        7 => SettlementKind::Failed { failure: Failure::new("odd", "it is 7"), block: false },
        8 => SettlementKind::Processed(Outcome::Ignored),
        _ => done(),
    }
}

/// Units in this order: dispatched, to be sent again, held behind that one, failed, given up, dispatched at the second
/// attempt; the records of an intent: dispatched, failed, to be sent again; ready, and two records that are ready. The
/// fourth, and the first intent with records, were caused by a message.
pub async fn every_unit(store: &dyn Store, cause: InboxId) -> Vec<OutboxId> {
    let (t, u) = (kafka("t"), kafka("u"));
    let about = |destination: &Destination, aggregate: &str, event_type: &str, records: usize| {
        let (event_type, records) = (event_type.to_owned(), record_keys(records));
        NewIntent { event_type, records, ..intent(destination, aggregate, 0) }
    };
    let caused = |intent: NewIntent| NewIntent { cause: Some(cause), ..intent };
    let intents = vec![
        about(&t, "sent", "Made", 0),
        about(&t, "again", "Made", 0),
        about(&t, "again", "Changed", 0),
        caused(about(&t, "failed", "Changed", 0)),
        about(&u, "given-up", "Made", 0),
        about(&u, "late", "Made", 0),
        caused(about(&t, "records", "Made", 3)),
    ];
    let mut units = units_of(store, &write_intents(store, intents).await).await;
    for destination in [&t, &u, &u] {
        let hand = take(store, destination, "every-unit").await;
        hand.settle(store, |delivery| sent(&units, delivery)).await.unwrap();
        hand.give_back(store).await;
    }
    store.skip_units(&units[4..5]).await.unwrap();
    let ready = vec![about(&u, "ready", "Changed", 0), about(&u, "ready-records", "Made", 2)];
    units.extend(units_of(store, &write_intents(store, ready).await).await);
    units
}

/// The units of intents, in order.
async fn units_of(store: &dyn Store, intents: &[OutboxId]) -> Vec<OutboxId> {
    let mut units = Vec::new();
    for intent in intents {
        let records = store.records(*intent).await.unwrap();
        units.extend(records.iter().map(|record| record.id));
        units.extend(records.is_empty().then_some(*intent));
    }
    units
}

/// What becomes of a unit.
fn sent(units: &[OutboxId], delivery: &Delivery) -> UnitResult {
    let refused = |code: &str| Failure::new(code, "nobody wants it");
    let first = matches!(delivery.attempt, Attempt::First(_));
    match units.iter().position(|unit| *unit == delivery.unit) {
        Some(1 | 8) => UnitResult::Retry { after: LONG, failure: refused("try-again") },
        Some(2) => UnitResult::Held,
        Some(3 | 7) => UnitResult::Failed { failure: refused("refused"), block: false },
        Some(4) => UnitResult::Failed { failure: refused("odd"), block: false },
        Some(5) if first => {
            UnitResult::Retry { after: Duration::ZERO, failure: refused("try-again") }
        }
        place => UnitResult::Dispatched { external_ref: place.map(|at| format!("EXT-{at}")) },
    }
}
