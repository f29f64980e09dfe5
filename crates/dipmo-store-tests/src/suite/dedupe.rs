//! Dedupe: the same message is stored once, and another one with its id is an incident.

use dipmo_domain::InboxStatus;
use dipmo_inbox::{Body, Stored};

use crate::Fixture;
use crate::support::{
    Script, alone, batch, event, event_saying, inbox_id, row_of, rows, stored, with_record,
};

/// The second time is a duplicate of the first.
pub async fn the_same_message_twice<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let again = store.store(&[event("F-1", 1), event("F-1", 2)], &[]).await.unwrap();
    assert_eq!(again[0], Stored::Duplicate(ids[0]));
    assert!(matches!(again[1], Stored::New(_)), "its neighbour is new");
    assert_eq!(rows(&*store).await.len(), 2);
}

/// Within one call as well.
pub async fn the_same_message_twice_in_one_call<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let answers = store.store(&[event("F-1", 1), alone(5), event("F-1", 1)], &[]).await.unwrap();
    let Stored::New(first) = answers[0] else { panic!("the first is new: {answers:?}") };
    assert!(matches!(answers[1], Stored::New(_)));
    assert_eq!(answers[2], Stored::Duplicate(first));
    assert_eq!(rows(&*store).await.len(), 2);
    assert!(store.incidents(10).await.unwrap().is_empty());
}

/// A message that was processed is remembered.
pub async fn a_processed_message_is_remembered<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    batch(&*store, Script::process_all()).await.unwrap();
    let again = store.store(&[event("F-1", 1)], &[]).await.unwrap();
    assert_eq!(again, [Stored::Duplicate(ids[0])]);
    assert!(batch(&*store, Script::process_all()).await.unwrap().messages.is_empty());
}

/// Trap 3: poison that is delivered again is a duplicate like any other.
pub async fn trap_3_redelivered_poison<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let poison = || with_record(|record| record.value = Some(b"\xff\xff".to_vec()));
    let ids = stored(&*store, &[poison()]).await;
    let again = store.store(&[poison(), poison()], &[]).await.unwrap();
    assert_eq!(again, [Stored::Duplicate(ids[0]), Stored::Duplicate(ids[0])]);
    assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::SerdeError);
    assert_eq!(rows(&*store).await.len(), 1);
}

/// Trap 6: an over-long id is neither cut into another one nor forgotten.
pub async fn trap_6_over_long_ids_stay_apart<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let long = |tail: &str| event(&format!("{}{tail}", "x".repeat(400)), 1);
    let ids = stored(&*store, &[long("a"), long("b")]).await;
    let again = store.store(&[long("b"), long("a")], &[]).await.unwrap();
    assert_eq!(again, [Stored::Duplicate(ids[1]), Stored::Duplicate(ids[0])]);
}

/// The same id of another source is another message.
pub async fn ids_are_per_source<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let record = dipmo_inbox::Record { topic: "t".to_owned(), ..Default::default() };
    let of = |source: &str| dipmo_inbox::Identity {
        source_system: source.to_owned(),
        message_id: Some("1".to_owned()),
        ..Default::default()
    };
    let messages: Vec<_> = ["crm", "erp"]
        .iter()
        .map(|source| dipmo_inbox::NewMessage::from_record(&record, &of(source)))
        .collect();
    stored(&*store, &messages).await;
    assert_eq!(rows(&*store).await.len(), 2);
}

/// Trap 10: the same id with another content is an incident, and its value is kept.
pub async fn trap_10_another_content_is_an_incident<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1)]).await;
    let other = event_saying("F-1", 1, r#"{"n":  "other"}"#);
    let before = store.now().await.unwrap();
    let answers = store.store(&[other.clone(), event("F-1", 2)], &[]).await.unwrap();
    assert_eq!(answers[0], Stored::Conflict(ids[0]));
    assert!(matches!(answers[1], Stored::New(_)), "its neighbour is stored");

    let incidents = store.incidents(10).await.unwrap();
    assert_eq!(incidents.len(), 1);
    let incident = &incidents[0];
    assert_eq!(incident.first, ids[0]);
    assert_eq!(incident.source_system, other.source_system);
    assert_eq!(incident.message_id, other.message_id);
    assert_eq!((&incident.topic, incident.partition, incident.offset), (&other.topic, 0, 1));
    assert_eq!(incident.payload.as_deref(), Some(r#"{"n":  "other"}"#));
    assert_eq!(incident.raw_payload_base64, None);
    assert!(incident.received_at >= before);

    let ran = batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.ids(), [ids[0], inbox_id(&answers[1])], "the other content is not processed");
    assert_eq!(row_of(&*store, ids[0]).await.message.payload.unwrap().as_str(), r#"{"n":1}"#);
}

/// Within one call the first one counts, and the other is an incident as well.
pub async fn another_content_in_one_call<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let other = event_saying("F-1", 1, "[]");
    let answers = store.store(&[event("F-1", 1), other], &[]).await.unwrap();
    let Stored::New(first) = answers[0] else { panic!("the first is new: {answers:?}") };
    assert_eq!(answers[1], Stored::Conflict(first));
    assert_eq!(rows(&*store).await.len(), 1);
    assert_eq!(store.incidents(10).await.unwrap().len(), 1);
}

/// An incident whose value is no JSON keeps its bytes.
pub async fn an_incident_keeps_bytes<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[alone(1)]).await;
    let other = with_record(|record| {
        record.offset = 1;
        record.value = Some(b"\xff\x00\xfe".to_vec());
    });
    let Body::Undecodable { base64, .. } = &other.body else { panic!("bytes are no JSON") };
    let base64 = base64.clone();
    assert_eq!(store.store(&[other], &[]).await.unwrap(), [Stored::Conflict(ids[0])]);
    let incidents = store.incidents(10).await.unwrap();
    assert_eq!(incidents[0].raw_payload_base64, Some(base64));
    assert_eq!(incidents[0].payload, None);
}

/// A tombstone is not the JSON text `null`: the bytes differ, so it is an incident.
pub async fn a_tombstone_is_not_the_text_null<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let with =
        |value: Option<&[u8]>| with_record(|record| record.value = value.map(<[u8]>::to_vec));
    let ids = stored(&*store, &[with(None)]).await;
    let answers = store.store(&[with(Some(b"null")), with(None)], &[]).await.unwrap();
    assert_eq!(answers, [Stored::Conflict(ids[0]), Stored::Duplicate(ids[0])]);
}
