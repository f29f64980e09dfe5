//! Domain writes: rows by natural key, newer versions only.

use std::time::Duration;

use dipmo_api::{DomainWrite, FactRow};
use dipmo_domain::{Json, StoreError, Timestamp, Value};
use dipmo_store::{Changes, Store};

use crate::support::{Script, batch, marker, stored};
use crate::{Fixture, items_table, labels_table};

/// Writes in one wave of one batch.
async fn write(store: &dyn Store, writes: Vec<DomainWrite>) -> Result<(), StoreError> {
    stored(store, &[marker()]).await;
    let script = Script::writing(|_| Changes { writes, ..Changes::default() });
    batch(store, script).await.map(|_| ())
}

fn item(number: i64, revision: i64) -> DomainWrite {
    DomainWrite::upsert(items_table())
        .set("REGION", "EU")
        .set("ITEM_NO", number)
        .set("REVISION", revision)
}

fn delete_item(number: i64) -> DomainWrite {
    DomainWrite::delete(items_table()).set("REGION", "EU").set("ITEM_NO", number)
}

fn label(id: &str) -> DomainWrite {
    DomainWrite::upsert(labels_table()).set("LABEL_ID", id)
}

async fn items(store: &dyn Store) -> Vec<FactRow> {
    store.domain_rows(&items_table()).await.unwrap()
}

/// The revisions and names of all items.
async fn names(store: &dyn Store) -> Vec<(i64, Option<String>)> {
    let of = |row: &FactRow| {
        (row["REVISION"].as_integer().unwrap(), row["NAME"].as_text().map(str::to_owned))
    };
    items(store).await.iter().map(of).collect()
}

fn named(name: &str) -> Option<String> {
    Some(name.to_owned())
}

/// Every kind of column comes back as it was written; what was not written is NULL.
pub async fn every_kind_of_column<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let time = Timestamp::from_micros(-1_234_567).unwrap();
    let json = Json::parse(r#"{"b": 1,  "a":[null, "ü"]}"#).unwrap();
    let full = item(i64::MAX, i64::MIN + 1)
        .set("NAME", "O'Hara \\ \"x\" \u{1F600}")
        .set("ACTIVE", true)
        .set("SEEN_AT", time)
        .set("DETAILS", json.clone());
    let last = Timestamp::EPOCH.after(Duration::MAX);
    let odd = item(3, 1).set("DETAILS", Json::null()).set("SEEN_AT", last);
    write(&*store, vec![full, item(1, 1), item(2, 1).set("ACTIVE", false).set("NAME", ""), odd])
        .await
        .unwrap();
    let rows = items(&*store).await;
    assert_eq!(rows.len(), 4);
    let expected = [
        ("REGION", Value::from("EU")),
        ("ITEM_NO", Value::Integer(i64::MAX)),
        ("REVISION", Value::Integer(i64::MIN + 1)),
        ("NAME", Value::from("O'Hara \\ \"x\" \u{1F600}")),
        ("ACTIVE", Value::Boolean(true)),
        ("SEEN_AT", Value::Timestamp(time)),
        ("DETAILS", Value::Json(json)),
    ];
    assert_eq!(rows[3], FactRow::from(expected));
    let nulls = ["NAME", "ACTIVE", "SEEN_AT", "DETAILS"];
    assert!(nulls.iter().all(|column| rows[0][column] == Value::Null), "{:?}", rows[0]);
    assert_eq!(rows[1]["ACTIVE"], Value::Boolean(false));
    assert_eq!(rows[1]["NAME"], Value::from(""), "an empty text is not NULL");
    assert_eq!(rows[2]["DETAILS"], Value::Json(Json::null()), "the JSON null is not NULL");
    assert_eq!(rows[2]["SEEN_AT"], Value::Timestamp(last), "the last moment of the year 9999");
}

/// Rows come in the order of the key.
pub async fn rows_come_in_the_order_of_the_key<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let of = |region: &str, number: i64| item(number, 1).set("REGION", region);
    write(&*store, vec![of("B", 1), of("A", 10), of("A", 9), of("A", -1)]).await.unwrap();
    let numbers: Vec<_> =
        items(&*store).await.iter().map(|row| row["ITEM_NO"].as_integer().unwrap()).collect();
    assert_eq!(numbers, [-1, 9, 10, 1]);
}

/// Only a newer version changes a row.
pub async fn only_newer_versions_change_a_row<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![item(1, 5).set("NAME", "five")]).await.unwrap();
    write(&*store, vec![item(1, 4).set("NAME", "older")]).await.unwrap();
    assert_eq!(names(&*store).await, [(5, named("five"))]);
    write(&*store, vec![item(1, 5).set("NAME", "equal")]).await.unwrap();
    assert_eq!(names(&*store).await, [(5, named("five"))]);
    write(&*store, vec![item(1, 6).set("NAME", "newer")]).await.unwrap();
    assert_eq!(names(&*store).await, [(6, named("newer"))]);
}

/// Columns that are not named keep what they have; NULL that is named is written.
pub async fn columns_not_named_keep_their_value<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![item(1, 1).set("NAME", "one").set("ACTIVE", true)]).await.unwrap();
    write(&*store, vec![item(1, 2).set("ACTIVE", Value::Null)]).await.unwrap();
    assert_eq!(names(&*store).await, [(2, named("one"))]);
    assert_eq!(items(&*store).await[0]["ACTIVE"], Value::Null);
}

/// A row that is nothing but its key is written, and written again without harm.
pub async fn nothing_but_the_key<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![label("L-1").set("CAPTION", "kept"), label("L-2")]).await.unwrap();
    write(&*store, vec![label("L-1"), label("L-2")]).await.unwrap();
    let rows = store.domain_rows(&labels_table()).await.unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["CAPTION"], Value::from("kept"));
}

/// Without a version column the last write counts.
pub async fn without_a_version_the_last_counts<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![label("L-1").set("CAPTION", "first").set("WEIGHT", 9)]).await.unwrap();
    write(&*store, vec![label("L-1").set("CAPTION", "second")]).await.unwrap();
    let rows = store.domain_rows(&labels_table()).await.unwrap();
    assert_eq!(rows[0]["CAPTION"], Value::from("second"));
    assert_eq!(rows[0]["WEIGHT"], Value::Integer(9));
}

/// The same row many times in one wave is as if each write came alone.
pub async fn the_same_row_many_times<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let revisions = [3, 1, 4, 4, 2, 6, 5];
    let writes = revisions.map(|revision| item(1, revision).set("NAME", revision.to_string()));
    write(&*store, writes.to_vec()).await.unwrap();
    assert_eq!(names(&*store).await, [(6, named("6"))]);
    write(&*store, vec![item(2, 1), delete_item(2), item(2, 1).set("NAME", "back")]).await.unwrap();
    assert_eq!(names(&*store).await[1], (1, named("back")));
    write(&*store, vec![item(2, 2).set("NAME", "two"), delete_item(2)]).await.unwrap();
    assert_eq!(names(&*store).await.len(), 1);
}

/// A delete without a version deletes what is there, and nothing else.
pub async fn a_delete_deletes<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![item(1, 5), item(2, 5), label("L-1")]).await.unwrap();
    let delete_label = DomainWrite::delete(labels_table()).set("LABEL_ID", "L-1");
    write(&*store, vec![delete_item(1), delete_item(99), delete_label]).await.unwrap();
    assert_eq!(names(&*store).await.len(), 1);
    assert_eq!(items(&*store).await[0]["ITEM_NO"], Value::Integer(2));
    assert!(store.domain_rows(&labels_table()).await.unwrap().is_empty());
}

/// A delete with a version deletes that version or an older one.
pub async fn a_delete_with_a_version_spares_newer_rows<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![item(1, 5), item(2, 5), item(3, 5)]).await.unwrap();
    let at = |number, revision: i64| delete_item(number).set("REVISION", revision);
    write(&*store, vec![at(1, 4), at(2, 5), at(3, 6)]).await.unwrap();
    let left = items(&*store).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["ITEM_NO"], Value::Integer(1));
}

/// A thousand rows in one wave.
pub async fn a_thousand_rows<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, (0..1_000).map(|number| item(number, 1)).collect()).await.unwrap();
    let changed = (0..1_000).map(|number| item(number, number % 3).set("NAME", "changed"));
    write(&*store, changed.collect()).await.unwrap();
    let newer = names(&*store).await.iter().filter(|(_, name)| name.is_some()).count();
    assert_eq!(newer, 333, "those with revision 2");
}

/// A value that does not fit its column is refused, and the batch with it.
pub async fn a_value_that_does_not_fit_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let too_long = item(1, 1).set("NAME", "x".repeat(201));
    let error = write(&*store, vec![label("L-1"), too_long]).await.unwrap_err();
    assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
    assert!(store.domain_rows(&labels_table()).await.unwrap().is_empty());
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().messages.len(), 1);
    // The length is in characters, not bytes.
    write(&*store, vec![item(1, 1).set("NAME", "ü".repeat(200))]).await.unwrap();
}
