//! What holds for a store without SQL: it refuses, and ignores nothing.

use dipmo_api::FactDefinition;
use dipmo_domain::{Coded as _, StoreError};
use dipmo_store::{Changes, Tables};

use crate::support::user_sql::{add_label, label, label_of};
use crate::support::{Script, batch, marker, stored};
use crate::{Fixture, labels_table, suite_tables};

fn check(error: &StoreError, name: &str) {
    assert_eq!(error.code().as_str(), "sql-unsupported", "{error:?}");
    assert!(error.to_string().contains(name), "{error}");
}

/// Neither a query nor a statement is installed.
pub async fn none_is_installed<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut tables = suite_tables();
    tables.facts.push(FactDefinition::query("label", label_of()));
    check(&store.migrate(&tables).await.unwrap_err(), "query label_of (:id)");
    let tables = Tables { statements: vec![add_label()], ..suite_tables() };
    check(&store.migrate(&tables).await.unwrap_err(), "statement add_label");
    store.migrate(&suite_tables()).await.unwrap();
}

/// Nor is one run, looked up by, or said to be right.
pub async fn none_is_run<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let fact = FactDefinition::query_by("label", label_of(), "THE_KEY");
    check(&store.look_up(&fact, &["x".into()]).await.unwrap_err(), "query label_of");
    check(&store.probe(&[label_of()], &[]).await.unwrap_err(), "query label_of");
    check(&store.probe(&[], &[add_label()]).await.unwrap_err(), "statement add_label");
    assert_eq!(store.probe(&[], &[]).await, Ok(vec![]));
    stored(&*store, &[marker()]).await;
    let writes = vec![label("L", "c")];
    let script = Script::writing(|_| Changes { writes, ..Changes::default() });
    check(&batch(&*store, script).await.unwrap_err(), "statement add_label");
    assert!(store.domain_rows(&labels_table()).await.unwrap().is_empty());
    assert_eq!(batch(&*store, Script::process_all()).await.unwrap().messages.len(), 1);
}
