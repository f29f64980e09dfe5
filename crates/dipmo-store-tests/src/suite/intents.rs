//! Intents: written with their cause, shown in OUTBOX, read as units.

use dipmo_domain::{
    Destination, Headers, Json, OutboxStatus, SalesforceApi, StoreError, Timestamp,
};
use dipmo_outbox::{Attempt, NewIntent};
use dipmo_store::Changes;

use crate::Fixture;
use crate::support::{
    Script, alone, batch, intent, internal, kafka, marker, stored, suite_key, take, write_intents,
};

fn rich() -> NewIntent {
    NewIntent {
        aggregate_type: "ü".repeat(50),
        aggregate_id: "é".repeat(200),
        event_type: "x".repeat(200),
        event_version: u16::MAX,
        payload: Json::parse(r#"{ "b": 1.50, "a": "\u0000", "a": 1e400 }"#).unwrap(),
        headers: Headers::default().with("trace", "1").with("trace", "2"),
        reply_to: Some(suite_key("S-1")),
        ..intent(&kafka("topic.with-all_kinds"), "F-1", 1)
    }
}

/// An intent comes back as it was written, to a person and to a dispatcher.
pub async fn come_back_as_written<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let cause = stored(&*store, &[alone(1)]).await[0];
    let caused_at = Some(Timestamp::from_micros(1_700_000_000_000_001).unwrap());
    let written = NewIntent { cause: Some(cause), caused_at, ..rich() };
    let intents = vec![written.clone()];
    let before = store.now().await.unwrap();
    batch(&*store, Script::writing(|_| Changes { intents, ..Changes::default() })).await.unwrap();
    let after = store.now().await.unwrap();

    let row = store.outbox_rows(10).await.unwrap().remove(0);
    assert_eq!(row.aggregate_type, written.aggregate_type);
    assert_eq!(row.aggregate_id, written.aggregate_id);
    assert_eq!(row.event_type, written.event_type);
    assert_eq!(row.event_version, written.event_version);
    assert_eq!(row.payload, written.payload);
    assert_eq!(Headers::from_json(row.headers_json.as_ref().unwrap()).unwrap(), written.headers);
    assert_eq!(row.destination, written.destination);
    assert_eq!((row.cause, &row.reply_to), (written.cause, &written.reply_to));
    assert!(before <= row.created_at && row.created_at <= after);
    assert_eq!((row.status, row.attempts), (OutboxStatus::Pending, 0));
    assert_eq!((row.failure, row.held_behind), (None, None));

    let unit = take(&*store, &written.destination, "o").await.units.remove(0);
    assert_eq!((unit.unit, unit.intent, &unit.record), (row.id, row.id, &None));
    assert_eq!(unit.order_key, written.order_key());
    assert_eq!((&unit.destination, unit.lane), (&written.destination, written.lanes()[0]));
    assert_eq!(unit.aggregate_type, written.aggregate_type);
    assert_eq!(unit.aggregate_id, written.aggregate_id);
    assert_eq!(unit.event_type, written.event_type);
    assert_eq!((unit.event_version, unit.payload), (written.event_version, written.payload));
    assert_eq!(Headers::from_json(unit.headers_json.as_ref().unwrap()).unwrap(), written.headers);
    assert_eq!((unit.created_at, unit.cause), (row.created_at, written.cause));
    assert_eq!((unit.reply_to, unit.caused_at), (written.reply_to, written.caused_at));
    assert!(matches!(unit.attempt, Attempt::First(_)), "{:?}", unit.attempt);
}

/// Every kind of destination comes back, and each is leased on its own.
pub async fn every_kind_of_destination<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let salesforce = |org: Option<&str>| Destination::Salesforce {
        org: org.map(str::to_owned),
        api: SalesforceApi::BulkV2,
        object: "Block__c".to_owned(),
    };
    let mut destinations = vec![
        internal(),
        Destination::Internal { name: Some("billing".to_owned()) },
        kafka("t"),
        salesforce(None),
        salesforce(Some("emea")),
    ];
    let intents = destinations.iter().map(|destination| intent(destination, "F-1", 1)).collect();
    write_intents(&*store, intents).await;
    let mut due = store.due_destinations().await.unwrap();
    due.sort();
    destinations.sort();
    assert_eq!(due, destinations);
    for destination in &destinations {
        let hand = take(&*store, destination, "o").await;
        assert_eq!(hand.units.len(), 1);
        assert_eq!(&hand.units[0].destination, destination);
    }
}

/// Ids grow in the order of writing, and the newest intents come first to a person.
pub async fn newest_first_to_a_person<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let intents = (1..=5).map(|number| intent(&kafka("t"), "F-1", number)).collect();
    let ids = write_intents(&*store, intents).await;
    let more = write_intents(&*store, vec![intent(&kafka("u"), "F-2", 1)]).await;
    assert!(more[0] > ids[4]);
    let rows = store.outbox_rows(3).await.unwrap();
    let shown: Vec<_> = rows.iter().map(|row| row.id).collect();
    assert_eq!(shown, [more[0], ids[4], ids[3]]);
}

/// Units of one key come in the order in which they were written.
pub async fn units_of_a_key_come_in_order<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut ids = Vec::new();
    for call in 0..5 {
        let intents = (0..4).map(|n| intent(&kafka("t"), &format!("F-{n}"), call)).collect();
        ids.extend(write_intents(&*store, intents).await);
    }
    let units = take(&*store, &kafka("t"), "o").await.units;
    assert_eq!(units.iter().map(|unit| unit.unit).collect::<Vec<_>>(), ids);
}

/// An intent without headers has none.
pub async fn no_headers_are_no_headers<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    let unit = take(&*store, &kafka("t"), "o").await.units.remove(0);
    let headers = unit.headers_json.as_ref().map(|json| Headers::from_json(json).unwrap());
    assert!(headers.is_none_or(|headers| headers.is_empty()));
}

/// A text that does not fit its column is refused, and the batch with it.
pub async fn a_text_that_does_not_fit_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let good = || intent(&kafka("t"), "F-1", 1);
    let too_long = [
        NewIntent { aggregate_type: "x".repeat(51), ..good() },
        NewIntent { aggregate_id: "x".repeat(201), ..good() },
        NewIntent { event_type: "x".repeat(201), ..good() },
    ];
    for bad in too_long {
        stored(&*store, &[marker()]).await;
        let changes = Changes { intents: vec![good(), bad], ..Changes::default() };
        let error = batch(&*store, Script::writing(|_| changes)).await.unwrap_err();
        assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
        assert!(store.outbox_rows(10).await.unwrap().is_empty());
        assert_eq!(batch(&*store, Script::process_all()).await.unwrap().messages.len(), 1);
    }
}
