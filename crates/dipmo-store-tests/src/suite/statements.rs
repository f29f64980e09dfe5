//! Statements of users: in order with the other writes, and each the affair of its message.

use std::sync::Arc;

use dipmo_api::{DomainWrite, FactRequest};
use dipmo_domain::{InboxStatus, Json, StoreError, Timestamp, Value};
use dipmo_store::{Changes, Store};

use crate::support::user_sql::{ask, close_others, label, set_item, sql_tables, statement, write};
use crate::support::{Script, alone, batch, marker, row_of, settle, stored};
use crate::{Fixture, items_table, labels_table};

use dipmo_api::sql::ValueKind::Text;

/// What a value must stay, whatever it looks like.
const HOSTILE: [&str; 10] = [
    "'; drop table SUITE_LABELS; --",
    "' or '1'='1",
    "\"; delete from SUITE_LABELS; --",
    ":id",
    "$1",
    "?1",
    "$$ $$",
    "\\'; --",
    "/* ",
    "ü\u{1F600}\n",
];

async fn ready<F: Fixture>(fixture: &F) -> Arc<dyn Store> {
    let store = fixture.store();
    store.migrate(&sql_tables()).await.unwrap();
    store
}

fn upsert(id: &str, caption: &str) -> DomainWrite {
    DomainWrite::upsert(labels_table()).set("LABEL_ID", id).set("CAPTION", caption)
}

fn close(id: &str) -> DomainWrite {
    DomainWrite::run(close_others()).set("id", id)
}

async fn captions(store: &dyn Store) -> Vec<(String, String)> {
    let rows = store.domain_rows(&labels_table()).await.unwrap();
    let text = |value: &Value| value.as_text().unwrap_or("NULL").to_owned();
    rows.iter().map(|row| (text(&row["LABEL_ID"]), text(&row["CAPTION"]))).collect()
}

fn shown(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(id, caption)| ((*id).to_owned(), (*caption).to_owned())).collect()
}

/// A statement sees what was written before it, and not what is written after it: also when the
/// writes of several messages go together.
pub async fn they_run_in_their_order<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    let writes = vec![upsert("A", "a"), close("A"), upsert("B", "b"), close("B"), upsert("C", "c")];
    write(&*store, writes).await.unwrap();
    assert_eq!(captions(&*store).await, shown(&[("A", "closed"), ("B", "b"), ("C", "c")]));
    write(&*store, vec![close("B"), upsert("B", "again"), label("D", "d")]).await.unwrap();
    let expected = [("A", "closed"), ("B", "again"), ("C", "closed"), ("D", "d")];
    assert_eq!(captions(&*store).await, shown(&expected));
}

/// Every kind of value is written as it is, NULL too.
pub async fn every_kind_of_value<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    let item = |number: i64| {
        let item = DomainWrite::upsert(items_table()).set("REGION", "EU").set("ITEM_NO", number);
        item.set("REVISION", 1).set("NAME", "before").set("ACTIVE", true)
    };
    let time = Timestamp::from_micros(-1_234_567).unwrap();
    let json = Json::parse(r#"{"b": 1,  "a":[null, "ü"]}"#).unwrap();
    let run = |number: i64| DomainWrite::run(set_item()).set("number", number);
    let full =
        run(1).set("name", "x").set("active", false).set("seen", time).set("details", json.clone());
    let null = Value::Null;
    let empty = run(2).set("name", null.clone()).set("active", null.clone());
    let empty = empty.set("seen", null.clone()).set("details", null.clone());
    write(&*store, vec![item(1), item(2), full, empty]).await.unwrap();
    let rows = store.domain_rows(&items_table()).await.unwrap();
    let of =
        |at: usize| ["NAME", "ACTIVE", "SEEN_AT", "DETAILS"].map(|name| rows[at][name].clone());
    assert_eq!(of(0), ["x".into(), false.into(), time.into(), json.into()]);
    assert_eq!(of(1), [null.clone(), null.clone(), null.clone(), null]);
}

/// SQL in a value is a text like any other, on its way in, in a comparison and on its way out.
pub async fn values_stay_values<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    write(&*store, HOSTILE.iter().map(|text| label(text, text)).collect()).await.unwrap();
    let asked: Vec<_> = HOSTILE.iter().map(|text| FactRequest::new("label_of", *text)).collect();
    let found = ask(&*store, &asked).await.unwrap();
    for (text, rows) in HOSTILE.iter().zip(found) {
        assert_eq!(rows.len(), 1, "{text}");
        assert_eq!(rows[0]["CAPTION"], Value::from(*text));
    }
    let none = ask(&*store, &[FactRequest::new("label_of", "x' or 'x'='x")]).await.unwrap();
    assert!(none[0].is_empty());
    assert_eq!(captions(&*store).await.len(), HOSTILE.len());
}

/// One that fails takes its batch back, says which it is and whose fault, and without its message
/// the neighbours go on.
pub async fn a_poison_among_good_ones<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    write(&*store, vec![label("taken-4711", "first")]).await.unwrap();
    let ids = stored(&*store, &(1..=5).map(alone).collect::<Vec<_>>()).await;
    let good = |n: usize| vec![upsert(&format!("R{n}"), "row"), label(&format!("S{n}"), "run")];
    let poison = || label("taken-4711", "secret");
    let writes = [good(0), good(1), vec![poison()], good(3)].concat();
    let script = Script::writing(|_| Changes { writes, ..Changes::default() });
    let error = batch(&*store, script).await.unwrap_err();
    assert!(error.is_refusal() && !error.is_transient(), "{error:?}");
    let StoreError::SqlFailed { sql, state, problem } = &error else { panic!("{error:?}") };
    assert_eq!(sql, "statement add_label (:weight, :id, :caption)");
    assert!(!state.is_empty() && !problem.is_empty());
    for value in ["taken-4711", "secret", "run", "S1"] {
        assert!(!error.to_string().contains(value), "{error}");
    }
    assert_eq!(captions(&*store).await.len(), 1, "nothing was written");
    assert_eq!(row_of(&*store, ids[0]).await.status, InboxStatus::Received);

    // As the engine does it: the one that it found fails, the others go on.
    let writes = [good(0), good(1), good(3)].concat();
    let bad = ids[2];
    let script = Script::changing(move |batch, _| Changes {
        writes,
        ..settle(batch, |claimed| {
            let kind = if claimed.message.id == bad {
                crate::support::failed(true)
            } else {
                crate::support::done()
            };
            Some(kind)
        })
    });
    batch(&*store, script).await.unwrap();
    assert_eq!(captions(&*store).await.len(), 7);
    assert_eq!(row_of(&*store, ids[2]).await.status, InboxStatus::Failed);
    assert_eq!(row_of(&*store, ids[4]).await.status, InboxStatus::Processed);
}

/// A thousand runs in one wave.
pub async fn a_thousand_runs<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    let writes = (0..1_000).map(|n| label(&format!("L-{n}"), "c")).collect();
    write(&*store, writes).await.unwrap();
    assert_eq!(captions(&*store).await.len(), 1_000);
}

/// What was not installed is not run.
pub async fn what_is_not_installed_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = ready(&fixture).await;
    let sql = "delete from SUITE_LABELS where LABEL_ID <> :id";
    let foreign = statement("foreign", sql, vec![("id", Text)]);
    stored(&*store, &[marker()]).await;
    let writes = vec![label("L", "c"), DomainWrite::run(foreign).set("id", "x")];
    let script = Script::writing(|_| Changes { writes, ..Changes::default() });
    let error = batch(&*store, script).await.unwrap_err();
    assert!(matches!(error, StoreError::SchemaMissing { .. }), "{error:?}");
    assert!(captions(&*store).await.is_empty());
}
