//! The same on PostgreSQL, which is what runs in earnest.

use std::path::Path;
use std::sync::Arc;

use dipmo_domain::InboxStatus;
use dipmo_inbound::Inbound;
use dipmo_inbox::Inbox as _;
use dipmo_source_kafka::KafkaSource;
use dipmo_store::{Inspect as _, Store as _, Tables};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use tokio_postgres::NoTls;

use crate::rig::{Rig, Running};

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_postgres_stores_everything_once_and_knows_where_to_go_on() {
    let rig = Rig::new(3).await;
    let name = format!("dipmo_source_{}", std::process::id());
    let server = server();
    let (admin, connection) = tokio_postgres::connect(&server, NoTls).await.unwrap();
    tokio::spawn(connection);
    admin.batch_execute(&format!("create database {name}")).await.unwrap();
    let (rest, _) = server.rsplit_once('/').unwrap();
    let options = PostgresOptions::new(&format!("{rest}/{name}"));
    let store = Arc::new(PostgresStore::connect(&options).await.unwrap());
    store.migrate(&Tables::default()).await.unwrap();

    for round in 1..=2 {
        (0..3).for_each(|partition| rig.send_numbers(partition, 0..3_000));
        // Text with a NUL is valid JSON, and PostgreSQL takes no NUL in a text.
        rig.producer.send(&rig.topic, 0, Some(br#"{"nul":"\u0000"}"#));
        rig.producer.send(&rig.topic, 0, Some(b"\xff\xff"));
        rig.producer.flush();
        let inbox = Arc::clone(&store);
        let source = KafkaSource::new(rig.options(), Inbound::new("test"), inbox).unwrap();
        let running = Running::new(source);
        running.until_records(9_002).await;
        let figures = running.stop().await;
        assert_eq!((figures.stored, figures.duplicates, figures.conflicts), (9_002, 0, 0));
        assert_eq!((figures.committed_ahead, figures.committed_behind), (0, 0), "round {round}");
        assert!(figures.refused.is_empty());
    }
    let rows = store.inbox_rows(100_000).await.unwrap();
    let captured = rows.iter().filter(|row| row.status == InboxStatus::SerdeError).count();
    assert_eq!((rows.len(), captured), (18_004, 2));
    let offsets = store.offsets(&rig.group).await.unwrap();
    let next: Vec<_> = offsets.iter().map(|offset| offset.next_offset).collect();
    assert_eq!(next, [6_004, 6_000, 6_000]);
    drop(store);
    admin.batch_execute(&format!("drop database {name} with (force)")).await.unwrap();
}

/// The URL of a role that may create databases. A test without a server fails: a skip would read
/// as passed.
fn server() -> String {
    if let Ok(url) = std::env::var("DIPMO_TEST_POSTGRES") {
        return url;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services/postgres-15.json");
    let state = std::fs::read_to_string(&file).unwrap_or_else(|error| {
        panic!("no PostgreSQL: run `cargo xtask services up` or set DIPMO_TEST_POSTGRES ({error})")
    });
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    state["url"].as_str().unwrap().to_owned()
}
