//! States that are gone, in a database whose tables must be made anew to forget them.

use dipmo_store::{Schema as _, StateMapping, Store as _, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use dipmo_store_tests::{suite_process, suite_tables};

use crate::folder::Folder;
use crate::support::number;

fn with_states(states: &[&'static str]) -> Tables {
    let mut process = (*suite_process()).clone();
    process.states = states.to_vec();
    Tables { processes: vec![process.checked().unwrap()], ..suite_tables() }
}

fn insert(id: &str, state: &str) -> String {
    format!(
        "INSERT INTO SUITE_PROCESS (ID, STATE, CONTEXT) VALUES ('{id}', '{state}', \
         '{{\"reference\":7}}')"
    )
}

#[tokio::test]
async fn a_table_that_is_made_anew_keeps_the_states_of_older_versions() {
    let folder = Folder::new();
    let store = folder.store().await;
    store.migrate(&with_states(&["STARTED", "ENDED", "FAILED", "NEW"])).await.unwrap();
    let look = folder.look();
    look.execute_batch(&insert("1", "NEW")).unwrap();
    look.execute_batch(&insert("2", "WAITING")).unwrap();
    look.execute_batch(&insert("3", "NOWHERE")).unwrap_err();
}

#[tokio::test]
async fn instances_of_a_table_with_columns_of_somebody_else_are_moved_where_they_stand() {
    let folder = Folder::new();
    let store = folder.store().await;
    let look = folder.look();
    look.execute_batch("ALTER TABLE SUITE_PROCESS ADD COLUMN MINE TEXT DEFAULT 'x'").unwrap();
    look.execute_batch(&insert("1", "WAITING")).unwrap();
    let mapping = StateMapping::default().and("SUITE", "WAITING", "ENDED");
    let tables = with_states(&["STARTED", "ENDED", "FAILED"]);
    store.migrate_mapping(&tables, &mapping).await.unwrap();
    let moved = "SELECT count(*) FROM SUITE_PROCESS \
                 WHERE STATE = 'ENDED' AND VERSION = 1 AND MINE = 'x'";
    assert_eq!(number(&look, moved), 1);
    look.execute_batch(&insert("2", "WAITING")).unwrap();
}

#[tokio::test]
async fn the_printed_schema_leaves_nothing_to_migrate() {
    let folder = Folder::new();
    folder.look().execute_batch(&SqliteStore::script(&suite_tables())).unwrap();
    let store = SqliteStore::open(SqliteOptions::new(&folder.url())).await.unwrap();
    assert_eq!(store.check_schema().await, Ok(()));
    assert!(store.plan(&suite_tables()).await.unwrap().is_empty());
    assert_eq!(store.migrate(&suite_tables()).await, Ok(vec![]));
}
