//! SQL of users that is asked about, not run.

use std::sync::Arc;

use dipmo_api::FactDefinition;
use dipmo_api::sql::{CheckedQuery, CheckedStatement};
use dipmo_domain::StoreError;
use dipmo_store::{Complaint, Store};

use crate::support::user_sql::{
    add_label, close_others, items_from, label, label_of, query, sql_tables, statement, write,
};
use crate::{Fixture, labels_table, suite_tables};

use dipmo_api::sql::ValueKind::{Integer, Text};

async fn asked(
    store: &dyn Store,
    queries: &[Arc<CheckedQuery>],
    statements: &[Arc<CheckedStatement>],
) -> Vec<(&'static str, Option<Complaint>)> {
    let probed = store.probe(queries, statements).await.unwrap();
    probed.into_iter().map(|it| (it.name, it.complaint)).collect()
}

/// What would run is said to be right, and nothing runs.
pub async fn what_is_right_is_not_run<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    store.migrate(&sql_tables()).await.unwrap();
    write(&*store, vec![label("L", "c")]).await.unwrap();
    let drop_all = statement("drop_all", "delete from SUITE_LABELS -- all", vec![]);
    let statements = [add_label(), close_others(), drop_all];
    let found = asked(&*store, &[items_from(), label_of()], &statements).await;
    let names = ["items_from", "label_of", "add_label", "close_others", "drop_all"];
    assert_eq!(found, names.map(|name| (name, None)));
    assert_eq!(store.domain_rows(&labels_table()).await.unwrap().len(), 1);
}

/// What the database would refuse is said with its words, each by its name and in its place.
pub async fn what_is_wrong_is_said<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let columns = || vec![("CAPTION", Text)];
    let sql = "select CAPTION from SUITE_LABELS where LABEL_ID = :id and CAPTOIN = :id";
    let no_column = query("no_column", sql, vec![("id", Text)], columns());
    let no_table = query("no_table", "select CAPTION from SUITE_LABLES", vec![], columns());
    let sql = "select WEIGHT from SUITE_LABELS";
    let no_result = query("no_result", sql, vec![], columns());
    let text = "delete from SUITE_LABELS where LABEL_ID = :id and :weight > WIEGHT";
    let bad = statement("bad", text, vec![("weight", Integer), ("id", Text)]);
    let queries = [no_column.clone(), label_of(), no_table, no_result];
    let found = asked(&*store, &queries, &[bad]).await;
    let names: Vec<_> = found.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["no_column", "label_of", "no_table", "no_result", "bad"]);
    let wrong: Vec<_> = found.iter().map(|(_, complaint)| complaint.is_some()).collect();
    assert_eq!(wrong, [true, false, true, true, true]);
    let at = |place: usize, text: &str| {
        let complaint = found[place].1.clone().unwrap();
        assert!(matches!(complaint.error, StoreError::SqlFailed { .. }), "{complaint:?}");
        complaint.place.map(|place| text[place.start..place.end].to_owned())
    };
    assert_eq!(at(0, no_column.template().text()).as_deref(), Some("CAPTOIN"));
    assert_eq!(at(4, text).as_deref(), Some("WIEGHT"));
    let mismatch = &found[3].1.as_ref().unwrap().error;
    assert!(matches!(mismatch, StoreError::SqlMismatch { .. }), "{mismatch:?}");
}

/// `migrate` finds the same, and changes nothing then.
pub async fn migrate_finds_it_too<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let columns = vec![("CAPTION", Text)];
    let no_table = query("no_table", "select CAPTION from SUITE_LABLES", vec![], columns);
    let mut tables = suite_tables();
    tables.facts.push(FactDefinition::query("no_table", no_table));
    let error = store.migrate(&tables).await.unwrap_err();
    let StoreError::SqlFailed { sql, problem, .. } = &error else { panic!("{error:?}") };
    assert_eq!(sql, "query no_table ()");
    assert!(problem.to_lowercase().contains("suite_lables"), "{problem}");
    let mut tables = suite_tables();
    tables.statements = vec![statement("bad", "update SUITE_LABELS set NO_SUCH = 1", vec![])];
    assert!(matches!(store.migrate(&tables).await, Err(StoreError::SqlFailed { .. })));
}

/// A query that writes is refused: nobody would know in which order.
pub async fn a_query_that_writes_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write(&*store, vec![]).await.unwrap();
    let sql =
        "with gone as (select 1) delete from SUITE_LABELS where LABEL_ID = :id returning LABEL_ID";
    let sly = query("sly", sql, vec![("id", Text)], vec![("LABEL_ID", Text)]);
    let found = asked(&*store, &[Arc::clone(&sly)], &[]).await;
    let complaint = found[0].1.clone().unwrap();
    assert!(matches!(complaint.error, StoreError::SqlFailed { .. }), "{complaint:?}");
    let fact = FactDefinition::query_by("sly", sly, "LABEL_ID");
    assert!(store.look_up(&fact, &["x".into()]).await.is_err());
}
