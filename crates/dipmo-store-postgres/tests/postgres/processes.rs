//! HIT_PROCESS and ONBOARDING_PROCESS of the seeds, installed from their definitions.

use std::time::Duration;

use dipmo_api::Registry;
use dipmo_store::{Store as _, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use hits::HitProcess;
use onboarding::{Blocking, OnboardingProcess};

use crate::support::database::Database;
use crate::support::server::Server;

fn tables() -> Tables {
    let registry = Registry::new()
        .process(HitProcess::new(Duration::from_secs(3_600)))
        .unwrap()
        .process(OnboardingProcess::new(Blocking::Synchronous))
        .unwrap();
    Tables::of(&registry)
}

#[tokio::test]
async fn the_tables_of_seed_002_are_made_with_its_columns_and_all_states() {
    let database = Database::create(Server(15)).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    store.migrate(&tables()).await.unwrap();
    let client = database.client().await;
    for (table, column, nullable) in [
        ("hit_process", "notification_id", "NO"),
        ("hit_process", "customer_id", "YES"),
        ("onboarding_process", "customer_id", "NO"),
    ] {
        let find = "select is_nullable::text, character_maximum_length::int4 \
                    from information_schema.columns where table_name = $1 and column_name = $2";
        let row = client.query_one(find, &[&table, &column]).await.unwrap();
        let found = (row.get::<_, String>(0), row.get::<_, i32>(1));
        assert_eq!(found, (nullable.to_owned(), 200), "{table}.{column}");
    }
    for (table, check, states) in [
        (
            "hit_process",
            "ck_hit_state",
            &[
                "RECEIVED",
                "HIT_CREATED",
                "QUALIFIED_POSITIVE",
                "QUALIFIED_NEGATIVE",
                "REVIEW_STARTED",
                "COMPLETED",
                "FAILED",
            ][..],
        ),
        (
            "onboarding_process",
            "ck_ob_state",
            &["RECEIVED", "QUALIFIED", "BLOCK_CREATED", "COMPLETED", "FAILED"][..],
        ),
    ] {
        let find = "select pg_get_constraintdef(oid) from pg_constraint \
                    where conrelid = $1::text::regclass and conname = $2";
        let rule: String = client.query_one(find, &[&table, &check]).await.unwrap().get(0);
        for state in states {
            assert!(rule.contains(&format!("'{state}'")), "{check} lacks {state}: {rule}");
        }
    }
}

#[tokio::test]
async fn an_instance_without_its_notification_is_refused_by_the_database_as_well() {
    let database = Database::create(Server(15)).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    store.migrate(&tables()).await.unwrap();
    let client = database.client().await;
    let error = client
        .batch_execute("insert into hit_process (id, context) values ('H-1', '{}')")
        .await
        .unwrap_err();
    assert_eq!(error.as_db_error().and_then(|db| db.column()), Some("notification_id"));
    client
        .batch_execute(
            "insert into hit_process (id, context, notification_id) values ('H-1', '{}', 'N-1')",
        )
        .await
        .unwrap();
}
