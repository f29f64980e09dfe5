//! Reports read what waits by the indexes that lead to it, in the order in which they may stop: nothing that has ended,
//! and no table from end to end, however full.

use dipmo_store::Store as _;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::suite_tables;

use crate::plans::indexes_for;
use crate::support::database::Database;
use crate::support::server::Server;

const SETTINGS: &str = include_str!("../../sql/browse_settings.sql");
const AGES: &str = "'{60,300,3600,86400}'";

/// A statement, what it is given, and all the indexes that it may use.
type Report = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const REPORTS: [Report; 5] = [
    (
        "ageing_inbox",
        include_str!("../../sql/ageing_inbox.sql"),
        &[AGES, "500", "20000"],
        &["inbox_exception_listed", "inbox_lane_pkey", "inbox_ready_pkey"],
    ),
    (
        "ageing_outbox",
        include_str!("../../sql/ageing_outbox.sql"),
        &[AGES, "500", "20000"],
        &["outbox_exception_open", "outbox_lane_pkey", "outbox_ready_pkey"],
    ),
    (
        "hot_keys_inbox",
        include_str!("../../sql/hot_keys_inbox.sql"),
        &["10", "20000"],
        &["inbox_block_pkey", "inbox_exception_listed", "inbox_log_pkey"],
    ),
    (
        "hot_keys_outbox",
        include_str!("../../sql/hot_keys_outbox.sql"),
        &["10", "20000"],
        &["outbox_block_pkey", "outbox_exception_open", "outbox_lane_pkey"],
    ),
    ("hot_recent", include_str!("../../sql/hot_recent.sql"), &["10", "10000"], &["inbox_log_pkey"]),
];

#[tokio::test]
async fn postgres_15_reports_by_index() {
    check(Server(15)).await;
}

#[tokio::test]
async fn postgres_18_reports_by_index() {
    check(Server(18)).await;
}

async fn check(server: Server) {
    let database = Database::create(server).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    let client = database.client().await;
    // Nearly all of it has ended, or was given up.
    let ended = "
        update inbox_exception set status = 'PROCESSED', held = false where id % 100 <> 1;
        update outbox_exception set status = 'FAILED', outcome = 'SKIPPED' where id % 50 <> 1;
        analyze";
    for fill in [include_str!("support/fill.sql"), ended] {
        client.batch_execute(fill).await.unwrap();
        client.batch_execute(&format!("begin; {SETTINGS}")).await.unwrap();
        for (name, text, values, indexes) in REPORTS {
            let found = indexes_for(&client, name, text, values).await;
            assert_eq!(Vec::from_iter(found), indexes, "{name}, {server:?}");
        }
        client.batch_execute("rollback").await.unwrap();
    }
}
