//! Queries of users: facts by any number of values, all of a wave at once, and look-ups.

use std::collections::BTreeSet;

use dipmo_api::{DomainWrite, FactDefinition, FactRequest, FactRow};
use dipmo_domain::{Json, StoreError, Timestamp, Value};
use dipmo_store::{Changes, Needs, Store};

use crate::support::user_sql::{ask, label, label_of, query, sql_tables, write};
use crate::support::{Script, batch, done, marker, settle, stored};
use crate::{Fixture, items_table, suite_tables};

use dipmo_api::sql::ValueKind::{Integer, Text};

fn item(region: &str, number: i64) -> DomainWrite {
    let item = DomainWrite::upsert(items_table()).set("REGION", region).set("ITEM_NO", number);
    item.set("REVISION", 1)
}

fn from(region: &str, least: i64) -> FactRequest {
    FactRequest::with("items_from", vec![least.into(), region.into()])
}

fn numbers(rows: &[FactRow]) -> Vec<i64> {
    rows.iter().map(|row| row["ITEM_NO"].as_integer().unwrap()).collect()
}

async fn ready<F: Fixture>(fixture: &F) -> std::sync::Arc<dyn Store> {
    let store = fixture.store();
    store.migrate(&sql_tables()).await.unwrap();
    store
}

/// Each request of a wave gets its own rows, in the order of the query.
pub async fn each_request_gets_its_rows<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    let writes = vec![item("EU", 1), item("EU", 3), item("EU", 2), item("US", 2)];
    write(&*store, writes).await.unwrap();
    let asked = [from("EU", 1), from("US", 1), from("EU", 2), from("XX", 1), from("EU", 1)];
    let found = ask(&*store, &asked).await.unwrap();
    let found: Vec<_> = found.iter().map(|rows| numbers(rows)).collect();
    assert_eq!(found, [vec![3, 2, 1], vec![2], vec![3, 2], vec![], vec![3, 2, 1]]);
}

/// Columns of every kind come by the names and kinds that were declared, NULL too.
pub async fn columns_are_read_as_declared<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    let time = Timestamp::from_micros(1_234_567).unwrap();
    let json = Json::parse(r#"{"b": 1,  "a":[null, "ü"]}"#).unwrap();
    let full = item("EU", 2).set("NAME", "ü").set("ACTIVE", true).set("SEEN_AT", time);
    write(&*store, vec![full.set("DETAILS", json.clone()), item("EU", 1)]).await.unwrap();
    let rows = ask(&*store, &[from("EU", 1)]).await.unwrap().remove(0);
    let expected = FactRow::from([
        ("ITEM_NO", 2.into()),
        ("NAME", "ü".into()),
        ("ACTIVE", true.into()),
        ("SEEN_AT", time.into()),
        ("DETAILS", json.into()),
    ]);
    assert_eq!(rows[0], expected);
    assert_eq!((&rows[1]["NAME"], &rows[1]["DETAILS"]), (&Value::Null, &Value::Null));
}

/// A query of the second wave sees what the first wave wrote.
pub async fn a_wave_sees_the_wave_before<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    stored(&*store, &[marker()]).await;
    let needs = |_: &_| Needs { facts: vec![from("EU", 0)], ..Needs::default() };
    let script = Script::default()
        .wave(needs, |_, _| Changes { writes: vec![item("EU", 1)], ..Changes::default() })
        .wave(needs, |batch, _| settle(batch, |_| Some(done())));
    let ran = batch(&*store, script).await.unwrap();
    let seen: Vec<_> = ran.found.iter().map(|it| it.facts.rows(&from("EU", 0)).len()).collect();
    assert_eq!(seen, [0, 1]);
}

/// Thousands of requests in one wave.
pub async fn thousands_of_requests<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    write(&*store, (0..2_000).map(|number| item("EU", number)).collect()).await.unwrap();
    let asked: Vec<_> = (0..2_000).map(|number| from("EU", 1_999 - number % 7)).collect();
    let sizes = ask(&*store, &asked).await.unwrap();
    assert!(sizes.iter().enumerate().all(|(at, rows)| rows.len() == at % 7 + 1));
    let ids: Vec<_> = (0..2_000).map(|number| from("EU", number)).collect();
    let found = ask(&*store, &ids[1_500..]).await.unwrap();
    assert!(found.iter().enumerate().all(|(at, rows)| rows.len() == 500 - at));
}

/// A query without parameters is one, and NULL is a value like any other.
pub async fn none_and_null<F: Fixture>() {
    let fixture = F::fresh().await;
    let mut tables = suite_tables();
    let all = query(
        "all_items",
        "select ITEM_NO from SUITE_ITEMS -- all",
        vec![],
        vec![("item_no", Integer)],
    );
    let sql = "select case when :a is null then 'NULL' else :a end as A";
    let null = query("or_null", sql, vec![("a", Text)], vec![("A", Text)]);
    tables.facts.extend([all, null].map(|query| FactDefinition::query(query.name(), query)));
    let store = fixture.store();
    store.migrate(&tables).await.unwrap();
    write(&*store, vec![item("EU", 7)]).await.unwrap();
    let asked = [
        FactRequest::with("all_items", vec![]),
        FactRequest::new("or_null", Value::Null),
        FactRequest::new("or_null", "x"),
    ];
    let found = ask(&*store, &asked).await.unwrap();
    assert_eq!(found[0], [FactRow::from([("item_no", 7.into())])]);
    assert_eq!(found[1], [FactRow::from([("A", "NULL".into())])]);
    assert_eq!(found[2], [FactRow::from([("A", "x".into())])]);
}

/// What a value makes fail is a refusal that names the query, and what was given stays unsaid.
pub async fn a_failure_is_a_refusal<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    let size = |number: i64| FactRequest::new("size_of", number);
    let asked = [size(-5), size(i64::MIN), size(3)];
    let error = ask(&*store, &asked).await.unwrap_err();
    assert!(error.is_refusal() && !error.is_transient(), "{error:?}");
    let StoreError::SqlFailed { sql, state, .. } = &error else { panic!("{error:?}") };
    assert_eq!(sql, "query size_of (:number)");
    assert!(!state.is_empty() && !error.to_string().contains("9223372036854775808"), "{error}");
    // Without it the others go on.
    let found = ask(&*store, &[size(-5), size(3)]).await.unwrap();
    assert_eq!((&found[0][0]["SIZE"], &found[1][0]["SIZE"]), (&5.into(), &3.into()));
}

/// Values of another number or kind are refused before anything is asked.
pub async fn values_that_do_not_fit_are_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    for values in [vec![], vec![1.into()], vec!["1".into(), "EU".into()]] {
        let error = ask(&*store, &[FactRequest::with("items_from", values)]).await.unwrap_err();
        assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
    }
}

/// A column that is missing or of another type is said: at the latest when it is read.
pub async fn another_result_is_said<F: Fixture>() {
    for (sql, about) in [
        ("select NAME as OTHER from SUITE_ITEMS", "no column SIZE"),
        ("select ITEM_NO as SIZE, REVISION as size from SUITE_ITEMS", "two columns SIZE"),
        ("select NAME as SIZE from SUITE_ITEMS", "column SIZE is"),
    ] {
        let fixture = F::fresh().await;
        let store = fixture.store();
        write(&*store, vec![item("EU", 1).set("NAME", "secret")]).await.unwrap();
        let mut tables = suite_tables();
        let wrong = query("wrong", sql, vec![], vec![("SIZE", Integer)]);
        tables.facts.push(FactDefinition::query("wrong", wrong));
        let error = match store.migrate(&tables).await {
            Err(error) => error,
            Ok(_) => ask(&*store, &[FactRequest::with("wrong", vec![])]).await.unwrap_err(),
        };
        let StoreError::SqlMismatch { sql, problem } = &error else { panic!("{error:?}") };
        assert_eq!(sql, "query wrong ()");
        assert!(problem.contains(about) && !problem.contains("secret"), "{problem}");
    }
}

/// Rows are looked up by a query as by a column, outside of any batch, and need no process.
pub async fn rows_are_looked_up<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    let labels: Vec<_> = (0..1_500).map(|n| label(&format!("L-{n}"), &format!("c{n}"))).collect();
    write(&*store, labels).await.unwrap();
    let fact = FactDefinition::query_by("nobodys", label_of(), "THE_KEY");
    let keys: Vec<Value> = ["L-1", "L-7", "L-1", "L-x"].map(Value::from).to_vec();
    let found = store.look_up(&fact, &keys).await.unwrap();
    let captions: BTreeSet<_> = found.iter().filter_map(|row| row["CAPTION"].as_text()).collect();
    assert_eq!((found.len(), captions), (2, BTreeSet::from(["c1", "c7"])));
    assert_eq!(store.look_up(&fact, &[]).await, Ok(vec![]));
    let all: Vec<Value> = (0..1_500).map(|n| format!("L-{n}").into()).collect();
    assert_eq!(store.look_up(&fact, &all).await.unwrap().len(), 1_500);
    let error = store.look_up(&fact, &[1.into()]).await.unwrap_err();
    assert!(matches!(error, StoreError::RowRefused { .. }), "{error:?}");
}
