//! Instances of processes: made once, changed only from the version that was read.

use std::collections::BTreeMap;

use dipmo_domain::{Failure, Json, StoreError, Timestamp};
use dipmo_store::{Changes, Needs, StateRow, StateWrite, Store};

use crate::Fixture;
use crate::support::{Ran, Script, batch, changed_state, marker, new_state, stored, suite_key};

/// Writes states in a batch of their own.
async fn write(store: &dyn Store, states: Vec<StateWrite>) -> Result<Ran, StoreError> {
    stored(store, &[marker()]).await;
    batch(store, Script::writing(|_| Changes { states, ..Changes::default() })).await
}

/// Reads an instance as a batch does.
async fn read(store: &dyn Store, id: &str) -> Option<StateRow> {
    stored(store, &[marker()]).await;
    let needs = Needs { states: vec![suite_key(id)], ..Needs::default() };
    let ran = batch(store, Script::reading(needs)).await.unwrap();
    ran.found[0].states.get(&suite_key(id)).cloned()
}

fn rich(id: &str) -> StateWrite {
    StateWrite {
        state: "WAITING".to_owned(),
        context: Json::parse(
            r#"{ "reference": "R-1",  "note": "ü \"x\"", "z": [1, 2.50, 1e400] }"#,
        )
        .unwrap(),
        event_versions: BTreeMap::from([("crm".to_owned(), 7), ("erp \"é".to_owned(), -1)]),
        attempts: 3,
        last_event_ts: Timestamp::from_micros(1_700_000_000_123_456),
        failure: Some(Failure::new("odd", "was odd")),
        version: 4,
        ..new_state(id)
    }
}

/// An instance comes back as it was written, in a batch and to a person.
pub async fn come_back_as_written<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let written = rich("S-1");
    write(&*store, vec![written.clone()]).await.unwrap();
    let expected = StateRow {
        key: suite_key("S-1"),
        state: written.state,
        version: 4,
        context: written.context,
        event_versions: written.event_versions,
        attempts: 3,
        last_event_ts: written.last_event_ts.unwrap(),
        failure: written.failure,
    };
    assert_eq!(read(&*store, "S-1").await.as_ref(), Some(&expected));
    assert_eq!(fixture.another().await.instance(&suite_key("S-1")).await, Ok(Some(expected)));
}

/// What is not there is not found.
pub async fn what_is_not_there_is_not_found<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![new_state("S-1")]).await.unwrap();
    assert_eq!(read(&*store, "S-2").await, None);
    assert_eq!(store.instance(&suite_key("S-2")).await, Ok(None));
    let unknown = dipmo_domain::ProcessKey { process: "NOBODY".to_owned(), id: "1".to_owned() };
    assert!(store.instance(&unknown).await.is_err(), "the process has no table");
}

/// Without a time of its own, LAST_EVENT_TS is the database's.
pub async fn the_time_is_the_databases<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let before = store.now().await.unwrap();
    write(&*store, vec![new_state("S-1")]).await.unwrap();
    let after = store.now().await.unwrap();
    let at = read(&*store, "S-1").await.unwrap().last_event_ts;
    assert!(before <= at && at <= after, "{before} <= {at} <= {after}");
}

/// A change from the version that was read is written, and clears what is not there any more.
pub async fn a_change_is_written<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![rich("S-1")]).await.unwrap();
    let change = StateWrite { version: 6, ..changed_state("S-1", 4) };
    write(&*store, vec![change]).await.unwrap();
    let row = read(&*store, "S-1").await.unwrap();
    assert_eq!((row.version, row.attempts, row.failure), (6, 0, None));
    assert_eq!(row.context.as_str(), r#"{"reference":"R-1"}"#);
    assert!(row.event_versions.is_empty());
}

/// Another version than the one that was read is a conflict.
pub async fn another_version_is_a_conflict<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![new_state("S-1"), new_state("S-2")]).await.unwrap();
    for version in [0, 2] {
        let states = vec![changed_state("S-2", 1), changed_state("S-1", version)];
        let error = write(&*store, states).await.unwrap_err();
        let expected = StoreError::VersionConflict { process: "SUITE".to_owned(), changed: 1 };
        assert_eq!(error, expected);
        batch(&*store, Script::process_all()).await.unwrap();
    }
    assert_eq!(read(&*store, "S-2").await.unwrap().version, 1, "the good one went back as well");
}

/// An instance that is there already cannot be made.
pub async fn an_instance_is_made_once<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![rich("S-1")]).await.unwrap();
    let error = write(&*store, vec![new_state("S-0"), new_state("S-1")]).await.unwrap_err();
    assert!(matches!(error, StoreError::VersionConflict { .. }), "{error:?}");
    assert_eq!(store.instance(&suite_key("S-0")).await, Ok(None));
    assert_eq!(store.instance(&suite_key("S-1")).await.unwrap().unwrap().version, 4);
}

/// An instance that is not there cannot be changed.
pub async fn an_instance_that_is_not_there_cannot_change<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let error = write(&*store, vec![changed_state("S-1", 1)]).await.unwrap_err();
    assert!(matches!(error, StoreError::VersionConflict { .. }), "{error:?}");
    assert_eq!(store.instance(&suite_key("S-1")).await, Ok(None));
}

/// Hundreds of instances are made and changed in one batch.
pub async fn many_in_one_batch<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let id = |number: i64| format!("S-{number}");
    write(&*store, (0..500).map(|n| new_state(&id(n))).collect()).await.unwrap();
    let changed = (0..500).map(|n| changed_state(&id(n), 1));
    let made = (500..700).map(|n| new_state(&id(n)));
    write(&*store, changed.chain(made).collect()).await.unwrap();
    stored(&*store, &[marker()]).await;
    let keys = (0..701).map(|n| suite_key(&id(n))).collect();
    let needs = Needs { states: keys, ..Needs::default() };
    let ran = batch(&*store, Script::reading(needs)).await.unwrap();
    let states = &ran.found[0].states;
    assert_eq!(states.len(), 700);
    assert!((0..500).all(|n| states[&suite_key(&id(n))].version == 2));
    assert!((500..700).all(|n| states[&suite_key(&id(n))].version == 1));
}

/// An instance without a projected column that must be there is refused, and the batch with it.
pub async fn a_missing_projected_column_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let missing =
        |context: &str| StateWrite { context: Json::parse(context).unwrap(), ..new_state("S-1") };
    for context in [r#"{"note":"N"}"#, "{}", r#"{"reference":null}"#] {
        let error = write(&*store, vec![new_state("S-0"), missing(context)]).await.unwrap_err();
        assert!(matches!(error, StoreError::RowRefused { .. }), "{context}: {error:?}");
        assert_eq!(store.instance(&suite_key("S-0")).await, Ok(None), "nothing was written");
        assert_eq!(batch(&*store, Script::process_all()).await.unwrap().messages.len(), 1);
    }
    // One that may be missing may be missing.
    write(&*store, vec![new_state("S-0")]).await.unwrap();
}

/// A state that the process does not have is refused.
pub async fn an_unknown_state_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let odd = StateWrite { state: "NOWHERE".to_owned(), ..new_state("S-1") };
    let error = write(&*store, vec![odd]).await.unwrap_err();
    assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
    assert_eq!(store.instance(&suite_key("S-1")).await, Ok(None));
    let failed = StateWrite { state: "FAILED".to_owned(), ..new_state("S-1") };
    batch(&*store, Script::process_all()).await.unwrap();
    write(&*store, vec![failed]).await.unwrap();
}

/// An odd id comes back to the letter.
pub async fn odd_ids_come_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let id = format!("'\"\\ {}", "\u{e9}".repeat(190));
    write(&*store, vec![new_state(&id)]).await.unwrap();
    assert_eq!(read(&*store, &id).await.unwrap().key, suite_key(&id));
}

/// An id that does not fit its column is refused.
pub async fn an_id_that_is_too_long_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let error = write(&*store, vec![new_state(&"x".repeat(201))]).await.unwrap_err();
    assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().messages.len(), 1);
}

/// Trap 4 for documents: what a process copied from a payload must not make its row unwritable.
pub async fn trap_4_odd_documents_come_back<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let texts = [
        r#"{"reference":"R-1","copied":"\u0000"}"#,
        r#"{"reference":"R-1","copied":"\ud800"}"#,
        r#"{"reference":"R-1","copied":1e400}"#,
        r#"{"copied":1, "reference":"R-1",  "copied":[1.0]}"#,
    ];
    for (number, text) in texts.iter().enumerate() {
        let id = number.to_string();
        let odd = StateWrite { context: Json::parse(text).unwrap(), ..new_state(&id) };
        write(&*store, vec![odd]).await.unwrap();
        assert_eq!(read(&*store, &id).await.unwrap().context.as_str(), *text);
    }
}
