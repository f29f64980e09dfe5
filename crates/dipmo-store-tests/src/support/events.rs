//! Messages for the inbox.

use std::sync::atomic::{AtomicI64, Ordering};

use dipmo_domain::{InboxId, Json, Lane, OrderKey};
use dipmo_inbox::{Identity, NewMessage, Record, Stored};
use dipmo_store::Store;

/// Message `number` of an aggregate; the same arguments give the same message.
#[must_use]
pub fn event(aggregate: &str, number: i64) -> NewMessage {
    event_saying(aggregate, number, &format!(r#"{{"n":{number}}}"#))
}

/// The same with a payload of its own: the same id, perhaps another content.
#[must_use]
pub fn event_saying(aggregate: &str, number: i64, payload: &str) -> NewMessage {
    let record = Record {
        topic: "suite".to_owned(),
        offset: number,
        key: Some(aggregate.as_bytes().to_vec()),
        timestamp_millis: 1_700_000_000_000 + number,
        value: Some(payload.as_bytes().to_vec()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "suite".to_owned(),
        message_id: Some(format!("{aggregate}/{number}")),
        aggregate_id: Some(aggregate.to_owned()),
        event_type: Some("SuiteEvent".to_owned()),
        event_version: Some(1),
        source_version: Some(number),
        event_ts: None,
    };
    NewMessage::decoded(&record, &identity, Json::parse(payload).unwrap())
}

/// A message without aggregate and key: it has no order with any other.
#[must_use]
pub fn alone(number: i64) -> NewMessage {
    with_record(|record| record.offset = number)
}

/// A message that no other call gives, alone in its order: something to claim when nothing else is.
#[must_use]
pub fn marker() -> NewMessage {
    static NEXT: AtomicI64 = AtomicI64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    with_record(|record| (record.topic, record.offset) = ("suite-markers".to_owned(), number))
}

/// A message of a record that the test changes as it likes; id and aggregate come from the record.
#[must_use]
pub fn with_record(change: impl FnOnce(&mut Record)) -> NewMessage {
    let mut record = Record {
        topic: "suite-records".to_owned(),
        timestamp_millis: -1,
        value: Some(b"{}".to_vec()),
        ..Record::default()
    };
    change(&mut record);
    let identity = Identity { source_system: "suite".to_owned(), ..Identity::default() };
    NewMessage::from_record(&record, &identity)
}

/// So many aggregates, each in a lane of its own.
#[must_use]
pub fn aggregates(count: usize) -> Vec<String> {
    assert!(count <= usize::from(Lane::COUNT), "there are not so many lanes");
    Lane::all().take(count).map(|lane| aggregate_in(lane, 0)).collect()
}

/// The aggregate number `nth` of a lane.
#[must_use]
pub fn aggregate_in(lane: Lane, nth: usize) -> String {
    let names = (0..).map(|number| format!("A-{number}"));
    names.filter(|name| OrderKey::new(name).lane() == lane).nth(nth).unwrap()
}

/// Stores messages that must all be new, and answers their ids.
pub async fn stored(store: &dyn Store, messages: &[NewMessage]) -> Vec<InboxId> {
    let answers = store.store(messages, &[]).await.unwrap();
    let new = |answer: &Stored| match answer {
        Stored::New(id) => *id,
        other => panic!("a new message was taken for {other:?}"),
    };
    answers.iter().map(new).collect()
}

/// The id in an answer, whatever the answer is.
#[must_use]
pub const fn inbox_id(answer: &Stored) -> InboxId {
    match answer {
        Stored::New(id) | Stored::Duplicate(id) | Stored::Conflict(id) => *id,
    }
}
