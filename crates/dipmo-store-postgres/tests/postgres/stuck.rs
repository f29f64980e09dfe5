//! A source that was frozen inside its COPY, where no time-out of PostgreSQL reaches it.

use std::time::Duration;

use bytes::Bytes;
use dipmo_domain::Coded as _;
use dipmo_inbox::{Inbox as _, Stored};
use dipmo_store::Store as _;
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::support::event;
use dipmo_store_tests::{Fixture as _, suite_tables};

use crate::support::fixture::Postgres;

#[tokio::test]
async fn who_waits_for_its_messages_ends_it() {
    let fixture = Postgres::<15>::fresh().await;
    let message = event("A", 1);
    let key: String = message.dedupe_key.as_bytes().iter().map(|b| format!("{b:02x}")).collect();
    let frozen = fixture.client().await;
    let insert = format!("begin; insert into inbox_dedupe values ('{key}', 0, 1)");
    frozen.batch_execute(&insert).await.unwrap();
    let open = frozen.copy_in::<_, Bytes>(include_str!("../../sql/inbox_copy.sql")).await.unwrap();

    let short = Duration::from_millis(500);
    let options = PostgresOptions {
        idle_in_transaction: short,
        patience: short,
        ..PostgresOptions::new(&fixture.url())
    };
    let store = PostgresStore::connect(&options).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    let waited = store.store(std::slice::from_ref(&message), &[]).await.unwrap_err();
    assert_eq!(waited.code().as_str(), "store-busy");
    let stored = store.store(&[message], &[]).await.unwrap();
    assert!(matches!(stored[..], [Stored::New(_)]), "{stored:?}");
    drop(open);
}
