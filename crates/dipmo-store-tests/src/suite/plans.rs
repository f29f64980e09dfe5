//! Looking at the schema: what `migrate` would do, what it did, and what it leaves alone.

use std::sync::Arc;

use dipmo_api::table::{Column, ColumnKind, DomainTable, ProcessTable};
use dipmo_domain::{ProcessKey, StoreError};
use dipmo_store::{StateWrite, Tables};

use super::migrations::write_state;
use crate::support::new_state;
use crate::{Fixture, labels_table, suite_process, suite_tables};

/// Everything is before an empty database, and a plan makes nothing of it.
pub async fn an_empty_database_has_everything_before_it<F: Fixture>() {
    let fixture = F::empty().await;
    let store = fixture.store();
    for _ in 0..2 {
        let plan = store.plan(&suite_tables()).await.unwrap();
        let versions: Vec<_> = plan.steps.iter().map(|step| step.version).collect();
        assert_eq!(versions, (1..).take(versions.len()).collect::<Vec<_>>());
        assert!(!versions.is_empty());
        for table in ["SUITE_PROCESS", "SUITE_ITEMS", "SUITE_LABELS"] {
            assert!(plan.tables.iter().any(|planned| planned.table == table), "{table}");
        }
        assert_eq!(plan.states, []);
        let status = store.status(&suite_tables()).await.unwrap();
        assert_eq!((status.applied.len(), &status.pending), (0, &plan.steps));
        assert!(matches!(status.may_run, Err(StoreError::SchemaMissing { .. })), "{status:?}");
    }
    assert!(store.check_schema().await.is_err());
}

/// Nothing to do is an empty plan.
pub async fn nothing_to_do_is_an_empty_plan<F: Fixture>() {
    let fixture = F::empty().await;
    fixture.store().migrate(&suite_tables()).await.unwrap();
    let plan = fixture.another().await.plan(&suite_tables()).await.unwrap();
    assert!(plan.is_empty(), "{plan:?}");
}

/// A plan names new tables and states, and migrating then does what it said.
pub async fn a_plan_names_new_tables_and_states<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.store();
    let mut process = (*suite_process()).clone();
    process.states.push("ARCHIVED");
    let more = DomainTable {
        name: "SUITE_MORE",
        columns: vec![Column::new("MORE_ID", ColumnKind::Text(20)).required()],
        key: vec!["MORE_ID"],
        version: None,
    };
    let more = more.checked().unwrap();
    let mut tables = suite_tables();
    tables.processes = vec![process.checked().unwrap()];
    tables.domain.push(Arc::clone(&more));
    let plan = store.plan(&tables).await.unwrap();
    let planned: Vec<_> = plan.tables.iter().map(|planned| planned.table.as_str()).collect();
    assert_eq!((plan.steps.len(), planned), (0, vec!["SUITE_MORE"]));
    let [states] = &plan.states[..] else { panic!("{plan:?}") };
    assert_eq!(
        (states.process.as_str(), &states.adds[..]),
        ("SUITE", &["ARCHIVED".to_owned()][..])
    );
    assert!(store.domain_rows(&more).await.is_err(), "nothing was made");
    assert!(store.plan(&suite_tables()).await.unwrap().is_empty());
    store.migrate(&tables).await.unwrap();
    assert!(store.plan(&tables).await.unwrap().is_empty());
    assert!(
        store.plan(&suite_tables()).await.unwrap().is_empty(),
        "an older version takes nothing"
    );
}

/// What cannot be migrated cannot be planned.
pub async fn a_plan_of_a_table_that_does_not_fit_is_refused<F: Fixture>() {
    let fixture = F::fresh().await;
    let mut columns = labels_table().columns.clone();
    columns.push(Column::new("COLOUR", ColumnKind::Text(20)));
    let table = DomainTable { columns, ..(*labels_table()).clone() }.checked().unwrap();
    let tables = Tables { domain: vec![table], ..Tables::default() };
    let error = fixture.store().plan(&tables).await.unwrap_err();
    assert!(matches!(error, StoreError::TableMismatch { .. }), "{error:?}");
}

/// The status has what was applied, with time and checksum.
pub async fn the_status_tells_what_was_applied<F: Fixture>() {
    let fixture = F::empty().await;
    let applied = fixture.store().migrate(&suite_tables()).await.unwrap();
    let status = fixture.another().await.status(&suite_tables()).await.unwrap();
    assert_eq!(status.applied, applied);
    assert!(status.applied.iter().all(|step| step.checksum.len() == 32));
    assert_eq!((status.pending, status.unknown), (vec![], vec![]));
    assert_eq!((status.may_run, status.orphans), (Ok(()), vec![]));
}

/// The table of a process that is no more stays with its rows, and the status names it.
pub async fn the_table_of_a_process_that_is_no_more_stays<F: Fixture>() {
    let fixture = F::fresh().await;
    let store = fixture.another().await;
    let past = ProcessTable { process: "PAST", ..(*suite_process()).clone() }.checked().unwrap();
    let mut both = suite_tables();
    both.processes.push(past);
    store.migrate(&both).await.unwrap();
    let key = ProcessKey { process: "PAST".to_owned(), id: "P-1".to_owned() };
    write_state(&*store, StateWrite { key: key.clone(), ..new_state("P-1") }).await;
    assert_eq!(store.status(&both).await.unwrap().orphans, []);

    fixture.store().migrate(&suite_tables()).await.unwrap();
    assert!(fixture.store().plan(&suite_tables()).await.unwrap().is_empty());
    let orphans = fixture.store().status(&suite_tables()).await.unwrap().orphans;
    let [orphan] = &orphans[..] else { panic!("{orphans:?}") };
    assert_eq!(orphan.table, "PAST_PROCESS");
    assert!(orphan.rows.is_none_or(|rows| rows == 1), "{orphan:?}");
    assert!(store.instance(&key).await.unwrap().is_some());
}
