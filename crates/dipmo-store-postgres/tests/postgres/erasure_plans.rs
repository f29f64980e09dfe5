//! What belongs to an aggregate is found by indexes that are there for something else, however full the logs are.

use dipmo_store::Store as _;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::suite_tables;

use crate::plans::indexes_for;
use crate::support::database::Database;
use crate::support::server::Server;

/// A statement, its log, what it is given, and all the indexes that it may use.
type Find = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const KEY_OF_INTENTS: &str = "outbox_log_pkey";

const FINDS: [Find; 5] = [
    (
        include_str!("../../sql/erase_find_messages.sql"),
        "inbox_log",
        &["'A-1'"],
        &["inbox_log_aggregate_id_idx"],
    ),
    (
        include_str!("../../sql/erase_find_answers.sql"),
        "inbox_log",
        &["'{A-1}'", "'{1,2}'"],
        &["inbox_log_aggregate_id_idx"],
    ),
    (
        include_str!("../../sql/erase_find_intents.sql"),
        "outbox_log",
        &["'A-1'", "'{1,2}'"],
        &["outbox_log_aggregate_type_aggregate_id_idx", "outbox_log_cause_id_idx"],
    ),
    (
        include_str!("../../sql/erase_messages.sql"),
        "inbox_log",
        &["'{1,2}'", "'{}'", "true"],
        &["inbox_log_pkey"],
    ),
    (
        include_str!("../../sql/erase_intents.sql"),
        "outbox_log",
        &["'{1,2}'", "'{}'", "true"],
        &[KEY_OF_INTENTS],
    ),
];

#[tokio::test]
async fn postgres_15_erases_by_index() {
    check(Server(15)).await;
}

#[tokio::test]
async fn postgres_18_erases_by_index() {
    check(Server(18)).await;
}

async fn check(server: Server) {
    let database = Database::create(server).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    let client = database.client().await;
    client.batch_execute(include_str!("support/fill.sql")).await.unwrap();
    // A month without rows would be read from end to end.
    client.batch_execute("analyze; set enable_seqscan = off").await.unwrap();
    for (text, log, values, indexes) in FINDS {
        let text = text.replace("{log}", log);
        let mut found = indexes_for(&client, &text, &text, values).await;
        // PostgreSQL 18 may read a month without rows by its primary key, from end to end.
        if !indexes.contains(&KEY_OF_INTENTS) {
            found.remove(KEY_OF_INTENTS);
        }
        assert_eq!(Vec::from_iter(found), indexes, "{text}, {server:?}");
    }
}
