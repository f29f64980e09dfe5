//! What an operation is about is found by index, whatever the filter: the log is never read from its beginning to its
//! end.

use std::collections::BTreeSet;

use dipmo_store::Store as _;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::suite_tables;

use crate::plans::indexes_for;
use crate::support::database::Database;
use crate::support::server::Server;

const MESSAGES: &str = include_str!("../../sql/operation_messages.sql");
const UNITS: &str = include_str!("../../sql/operation_units.sql");
const SETTINGS: &str = include_str!("../../sql/operation_settings.sql");

/// What is asked by number of its parameter, beside the statuses and the limit; and an index that must be used.
type Case<'a> = (&'a [(usize, &'a str)], &'a str);

const OF_MESSAGES: &[Case<'_>] = &[
    (&[(5, "1")], "inbox_exception_fingerprint"),
    (&[(8, "'A-1'")], "inbox_log_aggregate_id_idx"),
    (&[(9, "true"), (10, "'t'")], "inbox_log_pkey"),
    (&[(9, "true"), (14, "'x'")], "inbox_log_pkey"),
];

const OF_UNITS: &[Case<'_>] = &[
    (&[(5, "1")], "outbox_exception_fingerprint"),
    (&[(9, "7")], "outbox_record_log_outbox_id_idx"),
    (&[(10, "7")], "outbox_log_cause_id_idx"),
    (&[(11, "true"), (12, "'E'")], "outbox_log_pkey"),
];

#[tokio::test]
async fn postgres_15_finds_by_index_what_an_operation_is_about() {
    check(Server(15)).await;
}

#[tokio::test]
async fn postgres_18_finds_by_index_what_an_operation_is_about() {
    check(Server(18)).await;
}

async fn check(server: Server) {
    let database = Database::create(server).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    let client = database.client().await;
    client.batch_execute(include_str!("support/fill.sql")).await.unwrap();
    // Failures of a few groups, as many as a bad day has.
    let groups = "
        update inbox_exception set fingerprint = id % 50, error_code = 'x' where id % 2 = 0;
        update outbox_exception set fingerprint = id % 50, error_code = 'x' where id % 2 = 0;
        analyze";
    client.batch_execute(groups).await.unwrap();
    client.batch_execute(&format!("begin; {SETTINGS}")).await.unwrap();
    let sides = [
        ("operation_messages", MESSAGES, 14, "'{FAILED,RETRY,RECEIVED}'", OF_MESSAGES, 9),
        ("operation_units", UNITS, 15, "'{FAILED,PENDING}'", OF_UNITS, 11),
    ];
    for (name, text, params, statuses, cases, of_log) in sides {
        for (asked, needed) in cases {
            let mut values = vec!["null"; params];
            (values[0], values[1]) = (statuses, "1000001");
            values[of_log - 1] = "false";
            if name == "operation_units" {
                values[2] = "false";
            }
            asked.iter().for_each(|(number, value)| values[number - 1] = value);
            let found = indexes_for(&client, name, text, &values).await;
            let scans: BTreeSet<_> =
                found.iter().filter(|index| index.starts_with("scan of")).collect();
            assert!(scans.is_empty(), "{server:?} {name} {asked:?}: {scans:?}");
            assert!(found.contains(*needed), "{server:?} {name} {asked:?}: {found:?}");
        }
    }
}
