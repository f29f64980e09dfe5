//! Migrations: once, by whoever comes first, and checked by everybody.

use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable};
use dipmo_domain::StoreError;
use dipmo_store::migration::Applied;
use dipmo_store::{Changes, StateWrite, Store, Tables};

use crate::support::{Script, alone, batch, changed_state, marker, new_state, stored, suite_key};
use crate::{Fixture, labels_table, suite_process, suite_tables};

/// A database in which nothing was migrated is not ready, and says so.
pub async fn an_empty_database_is_not_ready<F: Fixture>() {
    let fixture = F::empty().await;
    let error = fixture.store().check_schema().await.unwrap_err();
    assert!(matches!(error, StoreError::SchemaMissing { .. }), "{error:?}");
    assert!(fixture.store().store(&[alone(1)], &[]).await.is_err(), "and nothing can be stored");
}

/// After migrating it is ready, for every instance.
pub async fn migrating_makes_it_ready<F: Fixture>() {
    let fixture = F::empty().await;
    fixture.store().migrate(&suite_tables()).await.unwrap();
    assert_eq!(fixture.store().check_schema().await, Ok(()));
    assert_eq!(fixture.another().await.check_schema().await, Ok(()));
    stored(&*fixture.store(), &[alone(1)]).await;
}

/// Migrating again applies nothing and changes nothing.
pub async fn migrating_again_does_nothing<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    write_state(&*store, new_state("S-1")).await;
    for store in [fixture.store(), fixture.another().await] {
        assert_eq!(store.migrate(&suite_tables()).await, Ok(vec![]));
    }
    assert!(store.instance(&suite_key("S-1")).await.unwrap().is_some(), "the rows stay");
    assert_eq!(store.inbox_rows(10).await.unwrap().len(), 1);
}

/// Three instances at once: each migration is applied by one of them.
pub async fn three_instances_at_once<F: Fixture>() {
    let fixture = F::empty().await;
    let stores = [fixture.store(), fixture.another().await, fixture.another().await];
    let tasks =
        stores.map(|store| tokio::spawn(async move { store.migrate(&suite_tables()).await }));
    let mut applied: Vec<Applied> = Vec::new();
    for task in tasks {
        applied.extend(task.await.unwrap().unwrap());
    }
    applied.sort_by_key(|migration| migration.version);
    let versions: Vec<_> = applied.iter().map(|migration| migration.version).collect();
    let expected: Vec<_> = (1..).take(versions.len()).collect();
    assert_eq!(versions, expected, "each once, without gaps");
    assert_eq!(fixture.store().check_schema().await, Ok(()));
    stored(&*fixture.store(), &[alone(1)]).await;
}

fn labels_with(columns: Vec<Column>) -> Tables {
    let table = DomainTable { columns, ..(*labels_table()).clone() }.checked().unwrap();
    Tables { domain: vec![table], ..Tables::default() }
}

/// A table that has more columns than its definition is fine.
pub async fn a_table_may_have_more_columns<F: Fixture>() {
    let fixture = F::fresh().await;
    let mut fewer = labels_table().columns.clone();
    fewer.retain(|column| column.name != "WEIGHT");
    assert_eq!(fixture.another().await.migrate(&labels_with(fewer)).await, Ok(vec![]));
}

/// A table whose column is of another kind, or missing, does not fit, and nothing is changed.
pub async fn a_table_that_does_not_fit_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let with = |column: Column| {
        let mut columns = labels_table().columns.clone();
        columns.retain(|other| other.name != column.name);
        columns.push(column);
        labels_with(columns)
    };
    let bad = [
        with(Column::new("WEIGHT", ColumnKind::Timestamp)),
        with(Column::new("COLOUR", ColumnKind::Text(20))),
    ];
    for tables in bad {
        let error = fixture.another().await.migrate(&tables).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::TableMismatch { table, .. }
            if table.eq_ignore_ascii_case("SUITE_LABELS")),
            "{error:?}"
        );
    }
    assert_eq!(fixture.store().check_schema().await, Ok(()));
    assert_eq!(fixture.store().migrate(&suite_tables()).await, Ok(vec![]));
}

/// A deployment that adds a table gets it, and the others keep their rows.
pub async fn a_new_table_is_added<F: Fixture>() {
    let fixture = F::fresh().await;
    let mut tables = suite_tables();
    let more = DomainTable {
        name: "SUITE_MORE",
        columns: vec![Column::new("MORE_ID", ColumnKind::Text(20)).required()],
        key: vec!["MORE_ID"],
        version: None,
    };
    let more = more.checked().unwrap();
    tables.domain.push(Arc::clone(&more));
    let store = fixture.another().await;
    store.migrate(&tables).await.unwrap();
    assert_eq!(store.domain_rows(&more).await, Ok(vec![]));
    assert_eq!(store.domain_rows(&labels_table()).await, Ok(vec![]));
}

/// A process that got a new state can use it, and its rows stay.
pub async fn a_new_state_is_added<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.another().await;
    let mut process = (*suite_process()).clone();
    process.states.push("ARCHIVED");
    let tables = Tables { processes: vec![process.checked().unwrap()], ..suite_tables() };
    write_state(&*store, new_state("S-1")).await;
    store.migrate(&tables).await.unwrap();
    let archived = StateWrite { state: "ARCHIVED".to_owned(), ..changed_state("S-1", 1) };
    write_state(&*store, archived).await;
    assert_eq!(store.instance(&suite_key("S-1")).await.unwrap().unwrap().state, "ARCHIVED");
}

/// An instance of the version before starts again, and does not forbid what the newer one writes.
pub async fn an_older_instance_does_not_forbid_new_states<F: Fixture>() {
    let fixture = F::fresh().await;
    let (newer, older) = (fixture.store(), fixture.another().await);
    let mut process = (*suite_process()).clone();
    process.states.push("ARCHIVED");
    let tables = Tables { processes: vec![process.checked().unwrap()], ..suite_tables() };
    newer.migrate(&tables).await.unwrap();
    older.migrate(&suite_tables()).await.unwrap();
    let archived = StateWrite { state: "ARCHIVED".to_owned(), ..new_state("S-1") };
    write_state(&*newer, archived).await;
    assert_eq!(older.instance(&suite_key("S-1")).await.unwrap().unwrap().state, "ARCHIVED");
}

pub(super) async fn write_state(store: &dyn Store, state: StateWrite) {
    stored(store, &[marker()]).await;
    let changes = Changes { states: vec![state], ..Changes::default() };
    batch(store, Script::writing(|_| changes)).await.unwrap();
}
