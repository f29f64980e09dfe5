//! HIT_PROCESS and ONBOARDING_PROCESS of the seeds, installed from their definitions.

use std::time::Duration;

use dipmo_api::Registry;
use dipmo_store::{Store as _, Tables};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use hits::HitProcess;
use onboarding::{Blocking, OnboardingProcess};

use crate::folder::Folder;
use crate::support::number;

async fn migrated(folder: &Folder) -> rusqlite::Connection {
    let registry = Registry::new()
        .process(HitProcess::new(Duration::from_secs(3_600)))
        .unwrap()
        .process(OnboardingProcess::new(Blocking::Synchronous))
        .unwrap();
    let store = SqliteStore::open(SqliteOptions::new(&folder.url())).await.unwrap();
    store.migrate(&Tables::of(&registry)).await.unwrap();
    folder.look()
}

#[tokio::test]
async fn the_tables_of_seed_002_are_made_with_its_columns_and_all_states() {
    let folder = Folder::new();
    let look = migrated(&folder).await;
    for (table, column, not_null) in [
        ("HIT_PROCESS", "NOTIFICATION_ID", 1),
        ("HIT_PROCESS", "CUSTOMER_ID", 0),
        ("ONBOARDING_PROCESS", "CUSTOMER_ID", 1),
    ] {
        let find = format!(
            "SELECT \"notnull\" FROM pragma_table_xinfo('{table}') WHERE name = '{column}'"
        );
        assert_eq!(number(&look, &find), not_null, "{table}.{column}");
    }
    for (table, states) in [
        (
            "HIT_PROCESS",
            "RECEIVED HIT_CREATED QUALIFIED_POSITIVE QUALIFIED_NEGATIVE REVIEW_STARTED COMPLETED FAILED",
        ),
        ("ONBOARDING_PROCESS", "RECEIVED QUALIFIED BLOCK_CREATED COMPLETED FAILED"),
    ] {
        let context = r#"{"notificationId":"N","customerId":"C"}"#;
        let insert =
            format!("INSERT INTO {table} (ID, STATE, CONTEXT) VALUES (?1, ?1, '{context}')");
        for state in states.split(' ') {
            look.execute(&insert, [state]).unwrap();
        }
        assert!(look.execute(&insert, ["SOMETHING_ELSE"]).is_err());
    }
}

#[tokio::test]
async fn an_instance_without_its_notification_is_refused_by_the_database_as_well() {
    let folder = Folder::new();
    let look = migrated(&folder).await;
    let insert = "INSERT INTO HIT_PROCESS (ID, CONTEXT) VALUES ('H-1', ?1)";
    let error = look.execute(insert, ["{}"]).unwrap_err();
    assert!(error.to_string().contains("HIT_PROCESS.NOTIFICATION_ID"), "{error}");
    look.execute(insert, [r#"{"notificationId":"N-1"}"#]).unwrap();
    let recent = "SELECT abs(LAST_EVENT_TS / 1000000 - unixepoch()) < 60 FROM HIT_PROCESS";
    assert_eq!(number(&look, recent), 1);
}
