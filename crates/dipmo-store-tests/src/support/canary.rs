//! An aggregate of which a word stands in every place that can hold something of it, and the search for that word.

use dipmo_api::TimerChange;
use dipmo_domain::{Failure, Headers, InboxId, Json, OutboxId};
use dipmo_inbox::{Identity, NewMessage, Record};
use dipmo_outbox::{Delivery, NewIntent, UnitResult};
use dipmo_store::admin::{AuditEntry, Edit, Operable};
use dipmo_store::{Changes, SettlementKind, StateWrite, TimerWrite};

use super::{
    LONG, Script, batch, dispatch_all, dispatched, event_saying, intent, kafka, new_state,
    record_keys, stored, suite_key, take, work_off,
};

/// The word.
pub const CANARY: &str = "Zebraclara";

/// The aggregate.
pub const ERASED: &str = "F-1";

/// What is there of the aggregate.
pub struct Left {
    /// The message that failed, was edited and skipped.
    pub skipped: InboxId,
    /// The message that was processed.
    pub processed: InboxId,
    /// The intents: of the aggregate with records, and of another one.
    pub intents: Vec<OutboxId>,
}

/// A document with the word.
fn saying(name: &str) -> Json {
    Json::parse(&format!(r#"{{"{name}":"{CANARY}","reference":"{CANARY}"}}"#)).unwrap()
}

fn quoting() -> Failure {
    Failure::new("odd", &format!("nobody is called {CANARY} here"))
}

/// A message with the word in its key, its headers, its payload and what stood around that.
#[must_use]
pub fn telling(number: i64) -> NewMessage {
    let payload = saying("payload");
    let value = format!(r#"{{"{CANARY}":1,"data":{}}}"#, payload.as_str());
    let record = Record {
        topic: "suite".to_owned(),
        offset: number,
        key: Some(format!("key of {CANARY}").into_bytes()),
        headers: Headers::default().with("name", CANARY),
        timestamp_millis: 1_700_000_000_000 + number,
        value: Some(value.into_bytes()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "suite".to_owned(),
        message_id: Some(format!("{ERASED}/{number}")),
        aggregate_id: Some(ERASED.to_owned()),
        event_type: Some("SuiteEvent".to_owned()),
        ..Identity::default()
    };
    NewMessage::decoded(&record, &identity, payload)
}

/// An instance that has ended, with the word in its context and its failure.
#[must_use]
pub fn ended(id: &str) -> StateWrite {
    let (state, failure) = ("ENDED".to_owned(), Some(quoting()));
    StateWrite { state, failure, context: saying("note"), ..new_state(id) }
}

/// Puts the word everywhere. All of it has ended.
///
/// # Panics
/// When the store refuses.
pub async fn everywhere(store: &dyn Operable) -> Left {
    let skipped = stored(store, &[telling(1)]).await[0];
    let fails = |_: &_| SettlementKind::Failed { failure: quoting(), block: true };
    batch(store, Script::settling(fails)).await.unwrap();
    store.edit(&edit(skipped), false).await.unwrap();
    work_off(store, fails).await;
    store.skip(&[skipped]).await.unwrap();

    let processed = stored(store, &[telling(2)]).await[0];
    let of_it = NewIntent { records: record_keys(2), ..told(ERASED, processed) };
    let intents = vec![of_it, told("G-1", processed)];
    let timer = TimerWrite {
        instance: suite_key(ERASED),
        aggregate_id: ERASED.to_owned(),
        change: TimerChange::Set {
            name: "late",
            after: LONG,
            event_type: "TimedOut",
            payload: saying("timer"),
        },
    };
    let states = vec![ended(ERASED), ended("S-9")];
    let changes = Changes { intents, states, timers: vec![timer], ..Changes::default() };
    batch(store, Script::writing(|_| changes)).await.unwrap();
    let mut intents: Vec<_> =
        store.outbox_rows(2).await.unwrap().iter().map(|row| row.id).collect();
    intents.reverse();
    let hand = take(store, &kafka("t"), "o").await;
    let refused = |unit: &Delivery| unit.intent == intents[1];
    let result = |unit: &Delivery| match refused(unit) {
        true => UnitResult::Failed { failure: quoting(), block: true },
        false => dispatched(),
    };
    hand.settle(store, result).await.unwrap();
    hand.give_back(store).await;
    store.skip_units(&[intents[1]]).await.unwrap();
    dispatch_all(store, &kafka("t")).await;
    let answer = answer(intents[1]);
    stored(store, &[answer]).await;
    work_off(store, |_| super::done()).await;
    // With the id of another message, and of a message of another aggregate about this one.
    let impostor = event_saying(ERASED, 2, saying("impostor").as_str());
    store.store(&[impostor], &[]).await.unwrap();
    Left { skipped, processed, intents }
}

/// What the engine tells an instance of an intent that was not delivered: it quotes why.
fn answer(intent: OutboxId) -> NewMessage {
    let record = Record {
        topic: "internal:SUITE:outcome".to_owned(),
        offset: intent.0,
        value: Some(saying("failures").as_str().as_bytes().to_vec()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "outcome".to_owned(),
        message_id: Some(format!("outbox:{}", intent.0)),
        aggregate_id: Some("S-9".to_owned()),
        event_type: Some("DeliveryFailed".to_owned()),
        ..Identity::default()
    };
    NewMessage::decoded(&record, &identity, saying("failures"))
}

fn told(aggregate: &str, cause: InboxId) -> NewIntent {
    NewIntent {
        payload: saying("intent"),
        headers: Headers::default().with("name", CANARY),
        reply_to: Some(suite_key("S-9")),
        cause: Some(cause),
        ..intent(&kafka("t"), aggregate, 1)
    }
}

fn edit(message: InboxId) -> Edit {
    let entry = AuditEntry {
        actor: "ann".to_owned(),
        role: "operator".to_owned(),
        action: "message.edit".to_owned(),
        target: "to be said".to_owned(),
        reason: "because the test says so".to_owned(),
        detail: Json::null(),
    };
    let payload = saying("edited");
    Edit { message, edits: 0, payload, event_type: None, force: false, entry }
}
