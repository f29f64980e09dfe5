//! Looking rows of domain tables up by keys, outside of any batch.

use std::collections::BTreeSet;
use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_api::{DomainWrite, FactDefinition, FactRow};
use dipmo_domain::{Json, StoreError, Timestamp, Value};
use dipmo_store::{Changes, Store};

use crate::support::{Script, batch, marker, stored};
use crate::{Fixture, items_table, labels_table};

fn fact(table: Arc<DomainTable>, by: &'static str) -> FactDefinition {
    // The name is nobody's: a look-up needs no process that knows it.
    FactDefinition::table("nobodys", table, by)
}

fn item(region: &str, number: i64) -> DomainWrite {
    DomainWrite::upsert(items_table())
        .set("REGION", region)
        .set("ITEM_NO", number)
        .set("REVISION", 1)
}

async fn write(store: &dyn Store, writes: Vec<DomainWrite>) {
    stored(store, &[marker()]).await;
    let script = Script::writing(move |_| Changes { writes, ..Changes::default() });
    batch(store, script).await.unwrap();
}

async fn look_up(store: &dyn Store, by: &'static str, keys: &[Value]) -> BTreeSet<(String, i64)> {
    let rows = store.look_up(&fact(items_table(), by), keys).await.unwrap();
    let count = rows.len();
    let found: BTreeSet<_> = rows.iter().map(place).collect();
    assert_eq!(found.len(), count, "each row once");
    found
}

fn place(row: &FactRow) -> (String, i64) {
    (row["REGION"].as_text().unwrap().to_owned(), row["ITEM_NO"].as_integer().unwrap())
}

fn places(places: &[(&str, i64)]) -> BTreeSet<(String, i64)> {
    places.iter().map(|(region, number)| ((*region).to_owned(), *number)).collect()
}

/// By one key, by many, by one that is not there; each row once, whatever was asked twice.
pub async fn rows_are_found_by_their_keys<F: Fixture>() {
    let fixture = F::fresh().await;
    let (store, another) = (fixture.store(), fixture.another().await);
    write(&*store, vec![item("EU", 1), item("EU", 2), item("US", 1), item("AS", 3)]).await;
    let eu = places(&[("EU", 1), ("EU", 2)]);
    assert_eq!(look_up(&*store, "REGION", &["EU".into()]).await, eu);
    assert_eq!(look_up(&*another, "REGION", &["EU".into()]).await, eu, "what is committed");
    let some = ["EU".into(), "XX".into(), "AS".into(), "EU".into()];
    let found = look_up(&*store, "REGION", &some).await;
    assert_eq!(found, places(&[("EU", 1), ("EU", 2), ("AS", 3)]));
    let ones = look_up(&*store, "ITEM_NO", &[1.into(), 9.into()]).await;
    assert_eq!(ones, places(&[("EU", 1), ("US", 1)]));
    assert_eq!(look_up(&*store, "REGION", &["XX".into()]).await, places(&[]));
    assert_eq!(look_up(&*store, "REGION", &[]).await, places(&[]), "no keys, no rows");
}

/// A key is itself: not another case of it, not a pattern, and NULL is no key.
pub async fn a_key_is_itself<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![item("EU", 1), item("e'u", 2), item("[]", 3), item("", 4)]).await;
    for (key, number) in [("EU", 1), ("e'u", 2), ("[]", 3), ("", 4)] {
        let expected = places(&[(key, number)]);
        assert_eq!(look_up(&*store, "REGION", &[key.into()]).await, expected, "{key:?}");
    }
    for key in ["eu", "E%", "EU ", "%", "1"] {
        assert_eq!(look_up(&*store, "REGION", &[key.into()]).await, places(&[]), "{key:?}");
    }
    assert_eq!(look_up(&*store, "NAME", &[Value::Null]).await, places(&[]));
    let mixed = [Value::Null, "EU".into()];
    assert_eq!(look_up(&*store, "REGION", &mixed).await, places(&[("EU", 1)]));
}

/// A row has every column of the definition, of every kind, as it is now.
pub async fn a_row_has_all_its_columns<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let seen_at = Timestamp::from_micros(1_700_000_000_000_001).unwrap();
    let details = Json::parse(r#"{"b": 1,  "a": "é"}"#).unwrap();
    let full = item("EU", 1)
        .set("NAME", "Ünï")
        .set("ACTIVE", true)
        .set("SEEN_AT", seen_at)
        .set("DETAILS", details.clone());
    write(&*store, vec![full]).await;
    let by_name = fact(items_table(), "NAME");
    let row = store.look_up(&by_name, &["Ünï".into()]).await.unwrap().remove(0);
    let expected = [
        ("REGION", Value::from("EU")),
        ("ITEM_NO", 1.into()),
        ("REVISION", 1.into()),
        ("NAME", "Ünï".into()),
        ("ACTIVE", true.into()),
        ("SEEN_AT", Value::Timestamp(seen_at)),
        ("DETAILS", Value::Json(details)),
    ];
    assert_eq!(row, expected.into());
    write(&*store, vec![item("EU", 1).set("REVISION", 2).set("NAME", "newer")]).await;
    assert_eq!(store.look_up(&by_name, &["Ünï".into()]).await, Ok(vec![]));
    let row = store.look_up(&by_name, &["newer".into()]).await.unwrap().remove(0);
    assert_eq!((&row["REVISION"], &row["ACTIVE"]), (&2.into(), &true.into()));
}

/// Thousands of keys in one call.
pub async fn thousands_of_keys<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let label = |number: i64| {
        DomainWrite::upsert(labels_table())
            .set("LABEL_ID", format!("L-{number}"))
            .set("WEIGHT", number)
    };
    write(&*store, (0..6_000).map(label).collect()).await;
    let by_id = fact(labels_table(), "LABEL_ID");
    let keys: Vec<Value> = (1_000..6_000).map(|number| format!("L-{number}").into()).collect();
    let rows = store.look_up(&by_id, &keys).await.unwrap();
    let weights: BTreeSet<_> = rows.iter().filter_map(|row| row["WEIGHT"].as_integer()).collect();
    assert_eq!((rows.len(), weights), (5_000, (1_000..6_000).collect()));
    let by_weight = fact(labels_table(), "WEIGHT");
    let keys: Vec<Value> = (3_000..8_000).map(Value::from).collect();
    assert_eq!(store.look_up(&by_weight, &keys).await.unwrap().len(), 3_000);
}

/// A key of another kind than its column is refused, and not taken for something else.
pub async fn a_key_of_another_kind_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![item("1", 1)]).await;
    for (by, key) in [
        ("ITEM_NO", Value::from("1")),
        ("REGION", 1.into()),
        ("ACTIVE", 1.into()),
        ("SEEN_AT", 1.into()),
        ("ITEM_NO", true.into()),
    ] {
        let keys = [key.clone()];
        let error = store.look_up(&fact(items_table(), by), &keys).await.unwrap_err();
        assert!(matches!(error, StoreError::RowRefused { .. }), "{by} {key:?}: {error:?}");
        assert!(error.to_string().contains(by), "{error}");
    }
}

/// A table or a column that is not there is named.
pub async fn what_is_not_there_is_named<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let column = |name| Column::new(name, ColumnKind::Text(50)).required();
    let table = |name, columns: &[&'static str]| {
        let columns: Vec<_> = columns.iter().map(|name| column(name)).collect();
        let key = vec![columns[0].name];
        DomainTable { name, columns, key, version: None }.checked().unwrap()
    };
    let missing = [
        (table("SUITE_NOWHERE", &["ID"]), "ID", "suite_nowhere"),
        (table("SUITE_LABELS", &["LABEL_ID", "COLOUR"]), "LABEL_ID", "colour"),
        (table("SUITE_LABELS", &["LABEL_ID"]), "TASTE", "taste"),
    ];
    for (table, by, named) in missing {
        let error = store.look_up(&fact(table, by), &["L-1".into()]).await.unwrap_err();
        assert!(matches!(error, StoreError::SchemaMissing { .. }), "{named}: {error:?}");
        assert!(error.to_string().to_lowercase().contains(named), "{error}");
    }
    // The store goes on.
    assert_eq!(look_up(&*store, "REGION", &["EU".into()]).await, places(&[]));
}
