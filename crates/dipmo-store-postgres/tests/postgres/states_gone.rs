//! States that are gone, beside batches that run: who waits for whom, and who must not.

use std::time::Duration;

use dipmo_api::table::ProcessTable;
use dipmo_domain::StoreError;
use dipmo_store::{Changes, Needs, Schema as _, StateMapping, StateWrite, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::support::{
    Script, changed_state, done, everything, inside, marker, new_state, settle, stored, suite_key,
};
use dipmo_store_tests::{Fixture as _, suite_process, suite_tables};
use tokio_postgres::Client;

use crate::support::fixture::Postgres;

fn with_states(states: &[&'static str]) -> Tables {
    let process = ProcessTable { states: states.to_vec(), ..(*suite_process()).clone() };
    Tables { processes: vec![process.checked().unwrap()], ..suite_tables() }
}

fn without_waiting() -> Tables {
    with_states(&["STARTED", "ENDED", "FAILED"])
}

fn waiting_ends() -> StateMapping {
    StateMapping::default().and("SUITE", "WAITING", "ENDED")
}

async fn fill(client: &Client, waiting: i32) {
    let insert = "insert into suite_process (id, reference, state, version) \
                  select 'S-' || n, 'R', 'WAITING', 1 from generate_series(1, $1) n";
    client.execute(insert, &[&waiting]).await.unwrap();
}

async fn count(client: &Client, state: &str) -> i64 {
    let count = "select count(*) from suite_process where state = $1";
    client.query_one(count, &[&state]).await.unwrap().get(0)
}

/// A store that soon fails where it would have to wait for a lock.
async fn impatient(fixture: &Postgres<15>) -> PostgresStore {
    let patience = Duration::from_millis(500);
    let options = PostgresOptions { patience, ..PostgresOptions::new(&fixture.url()) };
    PostgresStore::connect(&options).await.unwrap()
}

/// Reads S-1, stands still, and then moves it on.
fn moves_on() -> Script {
    let needs = Needs { states: vec![suite_key("S-1")], ..Needs::default() };
    let write = StateWrite { state: "ENDED".to_owned(), ..changed_state("S-1", 1) };
    let decides =
        |batch: &_, _: &_| Changes { states: vec![write], ..settle(batch, |_| Some(done())) };
    Script::default().wave(|_| needs, decides)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn looks_wait_for_no_batch_and_hold_up_none() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    fill(&client, 3).await;
    let store = fixture.store();
    stored(&*store, &[marker()]).await;
    let (gate, batch) = inside(&store, everything(), moves_on()).await;
    let writer = fixture.client().await;
    writer.batch_execute("begin; update suite_process set attempts = 1").await.unwrap();
    let looker = impatient(&fixture).await;
    assert_eq!(looker.strays(&without_waiting()).await.unwrap()[0].count, 3);
    assert!(!looker.plan(&with_states(&["STARTED", "FAILED", "NEW"])).await.unwrap().is_empty());
    assert_eq!(looker.status(&suite_tables()).await.unwrap().may_run, Ok(()));
    writer.batch_execute("rollback").await.unwrap();
    gate.open();
    batch.await.unwrap().unwrap();
}

#[tokio::test]
async fn looks_take_no_lock_that_a_batch_waits_for() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    fill(&client, 3).await;
    // Beside these one can only read a process table, and read or write those of the domain.
    let lock = "begin; lock table suite_process in exclusive mode; \
                lock table suite_items, suite_labels in share update exclusive mode";
    client.batch_execute(lock).await.unwrap();
    let looker = impatient(&fixture).await;
    let tables = with_states(&["STARTED", "FAILED", "NEW"]);
    assert_eq!(looker.strays(&tables).await.unwrap()[0].count, 3);
    assert_eq!(looker.plan(&tables).await.unwrap().states.len(), 1);
    assert_eq!(looker.status(&tables).await.unwrap().may_run, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_batch_that_has_read_an_instance_before_it_is_moved_loses_and_is_tried_again() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    fill(&client, 1).await;
    let store = fixture.store();
    stored(&*store, &[marker()]).await;
    let (gate, batch) = inside(&store, everything(), moves_on()).await;
    // It need not wait for the batch: that has only read. So the CHECK is not changed meanwhile.
    fixture.another().await.migrate_mapping(&without_waiting(), &waiting_ends()).await.unwrap();
    gate.open();
    let lost = batch.await.unwrap().map(drop).unwrap_err();
    assert!(matches!(lost, StoreError::VersionConflict { .. }), "{lost:?}");
    let row = store.instance(&suite_key("S-1")).await.unwrap().unwrap();
    assert_eq!((row.state.as_str(), row.version), ("ENDED", 2));
    let ran = dipmo_store_tests::support::batch(&*store, Script::process_all()).await.unwrap();
    assert_eq!(ran.messages.len(), 1, "its message comes again");
}

#[tokio::test]
async fn an_instance_that_leaves_by_itself_is_not_moved() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    fill(&client, 2).await;
    let leaves = "begin; update suite_process set state = 'FAILED', version = 2 where id = 'S-1'";
    client.batch_execute(leaves).await.unwrap();
    let store = fixture.another().await;
    let migration =
        tokio::spawn(
            async move { store.migrate_mapping(&without_waiting(), &waiting_ends()).await },
        );
    let waits = "select count(*) from pg_stat_activity where datname = current_database() \
                 and wait_event_type = 'Lock' and query like 'update%'";
    while fixture.client().await.query_one(waits, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        assert!(!migration.is_finished(), "it did not wait for the instance");
        tokio::task::yield_now().await;
    }
    client.batch_execute("commit").await.unwrap();
    migration.await.unwrap().unwrap();
    assert_eq!((count(&client, "FAILED").await, count(&client, "ENDED").await), (1, 1));
}

#[tokio::test]
async fn many_are_moved_a_transaction_after_the_other() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    fill(&client, 12_000).await;
    let store = fixture.another().await;
    store.migrate_mapping(&without_waiting(), &waiting_ends()).await.unwrap();
    let moved = "select count(*), count(distinct xmin::text) from suite_process \
                 where state = 'ENDED' and version = 2";
    let row = client.query_one(moved, &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (12_000, 3));
    let refused = "insert into suite_process (id, reference, state) values ('N', 'R', 'WAITING')";
    client.batch_execute(refused).await.unwrap_err();
}

#[tokio::test]
async fn a_migration_that_is_killed_leaves_everything_as_it_was() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    fill(&client, 2).await;
    // The second one cannot be moved while somebody holds it: the first one is, when it is killed.
    let holder = fixture.client().await;
    holder
        .batch_execute("begin; select from suite_process where id = 'S-2' for update")
        .await
        .unwrap();
    let store = fixture.another().await;
    let tables = with_states(&["STARTED", "ENDED", "FAILED"]);
    let migration =
        tokio::spawn(async move { store.migrate_mapping(&tables, &waiting_ends()).await });
    let kill = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
                where datname = current_database() and wait_event_type = 'Lock' \
                and query like 'update%'";
    while client.query_one(kill, &[]).await.unwrap().get::<_, i64>(0) == 0 {
        assert!(!migration.is_finished(), "it did not wait for the instance");
        tokio::task::yield_now().await;
    }
    migration.await.unwrap().unwrap_err();
    holder.batch_execute("rollback").await.unwrap();
    assert_eq!((count(&client, "WAITING").await, count(&client, "ENDED").await), (2, 0));
    let known = "select count(*) from dipmo_definition";
    assert_eq!(client.query_one(known, &[]).await.unwrap().get::<_, i64>(0), 1);
    let again = fixture.another().await;
    again.migrate_mapping(&without_waiting(), &waiting_ends()).await.unwrap();
    assert_eq!(count(&client, "ENDED").await, 2);
}

#[tokio::test]
async fn a_table_that_cannot_have_strays_is_not_read() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.another().await;
    let locker = fixture.client().await;
    // Whoever reads the table waits for this.
    locker.batch_execute("begin; lock table suite_process in access exclusive mode").await.unwrap();
    assert_eq!(store.strays(&suite_tables()).await, Ok(vec![]));
}

#[tokio::test]
async fn a_table_that_somebody_else_made_is_looked_at() {
    let fixture = Postgres::<15>::empty().await;
    let client = fixture.client().await;
    let made = "create table suite_process (id varchar(200) primary key, reference varchar(200), \
                note varchar(200), state varchar(30) not null, \
                last_event_ts timestamptz not null default now(), version bigint not null default 0, \
                error_code varchar(200), error_message varchar(2000), \
                attempts integer not null default 0, context json not null default '{}', \
                last_event_versions json)";
    client.batch_execute(made).await.unwrap();
    fill(&client, 1).await;
    let store = fixture.store();
    let error = store.migrate(&without_waiting()).await.unwrap_err();
    assert!(matches!(error, StoreError::StatesGone { .. }), "{error:?}");
    store.migrate_mapping(&without_waiting(), &waiting_ends()).await.unwrap();
    assert_eq!(count(&client, "ENDED").await, 1);
    let odd = "insert into suite_process (id, reference, state) values ('N', 'R', 'WAITING')";
    client.batch_execute(odd).await.unwrap_err();
}

#[tokio::test]
async fn the_printed_schema_leaves_nothing_to_migrate() {
    let fixture = Postgres::<15>::empty().await;
    let client = fixture.client().await;
    client.batch_execute(&PostgresStore::script(&suite_tables())).await.unwrap();
    let store = fixture.store();
    assert_eq!(store.check_schema().await, Ok(()));
    assert!(store.plan(&suite_tables()).await.unwrap().is_empty());
    assert_eq!(store.migrate(&suite_tables()).await, Ok(vec![]));
    stored(&*store, &[marker()]).await;
    let write = Changes { states: vec![new_state("S-1")], ..Changes::default() };
    dipmo_store_tests::support::batch(&*store, Script::writing(|_| write)).await.unwrap();
}
