//! Migrations from several instances, and tables that change with their process.

use dipmo_domain::StoreError;
use dipmo_store::{Store as _, Tables};
use dipmo_store_sqlite::{MIGRATIONS, SqliteOptions, SqliteStore};
use dipmo_store_tests::{suite_process, suite_tables};

use crate::folder::Folder;
use crate::support::number;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_instances_at_once_apply_each_step_once() {
    let folder = Folder::new();
    let start = |url: String| async move {
        let store = SqliteStore::open(SqliteOptions::new(&url)).await?;
        store.migrate(&suite_tables()).await.map(|applied| applied.len())
    };
    let starting: Vec<_> = (0..8).map(|_| tokio::spawn(start(folder.url()))).collect();
    let mut applied = Vec::new();
    for instance in starting {
        applied.push(instance.await.unwrap().unwrap());
    }
    applied.sort_unstable();
    assert_eq!(applied, [0, 0, 0, 0, 0, 0, 0, MIGRATIONS.len()]);
}

#[tokio::test]
async fn a_changed_and_a_newer_schema_are_refused() {
    let folder = Folder::new();
    let store = folder.store().await;
    let look = folder.look();
    look.execute_batch("INSERT INTO dipmo_migration VALUES (99, 'later', 'x', 0, 0)").unwrap();
    assert_eq!(store.check_schema().await, Ok(()), "it does not break us");
    look.execute_batch("UPDATE dipmo_migration SET breaks_older = 1 WHERE version = 99").unwrap();
    let newer = Err(StoreError::SchemaNewer {
        applied: 99,
        known: MIGRATIONS[MIGRATIONS.len() - 1].version,
    });
    assert_eq!(store.check_schema().await, newer);
    assert_eq!(store.migrate(&Tables::default()).await.map(drop), newer);
    look.execute_batch("UPDATE dipmo_migration SET checksum = 'x' WHERE version = 2").unwrap();
    let changed = StoreError::MigrationChanged { version: 2, name: "inbox".to_owned() };
    assert_eq!(store.check_schema().await, Err(changed));
}

#[tokio::test]
async fn a_failed_migration_leaves_nothing() {
    let folder = Folder::new();
    folder.look().execute_batch("CREATE TABLE outbox_log (mine TEXT)").unwrap();
    let store = SqliteStore::open(SqliteOptions::new(&folder.url())).await.unwrap();
    store.migrate(&Tables::default()).await.unwrap_err();
    assert_eq!(number(&folder.look(), "SELECT count(*) FROM sqlite_schema"), 1);
}

fn with_a_new_state() -> Tables {
    let mut process = (*suite_process()).clone();
    process.states.push("ARCHIVED");
    Tables { processes: vec![process.checked().unwrap()], ..Tables::default() }
}

#[tokio::test]
async fn a_table_that_is_made_anew_keeps_rows_and_indexes() {
    let folder = Folder::new();
    let store = folder.store().await;
    let look = folder.look();
    look.execute_batch(
        "INSERT INTO SUITE_PROCESS (ID, LAST_EVENT_TS, CONTEXT) VALUES ('1', 0, '{\"reference\":7}');
         CREATE INDEX mine ON SUITE_PROCESS (REFERENCE);",
    )
    .unwrap();
    store.migrate(&with_a_new_state()).await.unwrap();
    look.execute_batch("UPDATE SUITE_PROCESS SET STATE = 'ARCHIVED'").unwrap();
    let count = "SELECT count(*) FROM SUITE_PROCESS INDEXED BY mine WHERE REFERENCE = '7'";
    assert_eq!(number(&look, count), 1);
    let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE '%NEW%'";
    assert_eq!(number(&look, left), 0);
}

#[tokio::test]
async fn a_table_with_columns_of_somebody_else_is_not_made_anew() {
    let folder = Folder::new();
    let store = folder.store().await;
    folder.look().execute_batch("ALTER TABLE SUITE_PROCESS ADD COLUMN MINE TEXT").unwrap();
    let error = store.migrate(&with_a_new_state()).await.unwrap_err();
    let StoreError::TableMismatch { table, problem } = error else { panic!("{error:?}") };
    assert_eq!(table, "SUITE_PROCESS");
    assert!(problem.starts_with("CK_SUITE_STATE lacks a state"), "{problem}");
    assert_eq!(store.migrate(&suite_tables()).await, Ok(vec![]), "the column itself is fine");
}

#[tokio::test]
async fn an_instance_that_does_not_migrate_is_told_its_tables() {
    let folder = Folder::new();
    drop(folder.store().await);
    let options = SqliteOptions { tables: suite_tables(), ..SqliteOptions::new(&folder.url()) };
    let store = SqliteStore::open(options).await.unwrap();
    store.check_schema().await.unwrap();
    dipmo_store_tests::support::stored(&store, &[dipmo_store_tests::support::alone(1)]).await;
    let request =
        dipmo_api::FactRequest { name: dipmo_store_tests::LABEL_BY_ID, key: "L-1".into() };
    let needs = dipmo_store::Needs { facts: vec![request], ..dipmo_store::Needs::default() };
    let reads = dipmo_store_tests::support::Script::reading(needs);
    dipmo_store_tests::support::batch(&store, reads).await.unwrap();
}
