//! What left the straight path is listed by the indexes that were made for that, also where the planner believes that
//! another one would do.

use dipmo_store::Store as _;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::suite_tables;

use crate::plans::indexes_for;
use crate::support::database::Database;
use crate::support::server::Server;

const SETTINGS: &str = include_str!("../../sql/browse_settings.sql");
const BY_STATUS: &str = include_str!("../../sql/aside_rows.sql");
const BY_GROUP: &str = include_str!("../../sql/group_rows.sql");

#[tokio::test]
async fn postgres_15_lists_what_failed_by_its_own_indexes() {
    check(Server(15)).await;
}

#[tokio::test]
async fn postgres_18_lists_what_failed_by_its_own_indexes() {
    check(Server(18)).await;
}

async fn check(server: Server) {
    let database = Database::create(server).await;
    let store = PostgresStore::connect(&PostgresOptions::new(&database.url())).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    let client = database.client().await;
    // Nearly all of it has ended: whoever goes down the ids meets nothing else.
    let ended = "
        update inbox_exception set status = 'PROCESSED', fingerprint = 7 where id % 100 <> 1;
        update outbox_exception set status = 'DISPATCHED', fingerprint = 7 where id % 50 <> 1;
        analyze";
    for fill in ["", include_str!("support/fill.sql"), ended] {
        client.batch_execute(fill).await.unwrap();
        client.batch_execute(&format!("begin; {SETTINGS}")).await.unwrap();
        let lists = [(BY_STATUS, "'{FAILED}'", "listed"), (BY_GROUP, "7", "fingerprint")];
        for (text, key, index) in lists {
            for side in ["inbox", "outbox"] {
                let text = text.replace("{box}", side).replace("{also}", "true");
                let text = text.replace("{most}", "$3").replace("{key}", "$4");
                let values = ["9223372036854775807", "0", "10000", key];
                let found = indexes_for(&client, index, &text, &values).await;
                assert_eq!(
                    Vec::from_iter(found),
                    [format!("{side}_exception_{index}")],
                    "{server:?}"
                );
            }
        }
        client.batch_execute("rollback").await.unwrap();
    }
}
