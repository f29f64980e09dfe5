//! Tables that somebody has locked, and who does not need them.

use dipmo_inbox::{Inbox as _, Stored};
use dipmo_store_postgres::{PostgresOptions, PostgresStore};
use dipmo_store_tests::Fixture as _;
use dipmo_store_tests::support::event;

use crate::support::fixture::Postgres;

#[tokio::test]
async fn messages_come_in_on_a_new_connection_while_the_outbox_is_locked() {
    let fixture = Postgres::<15>::fresh().await;
    let locker = fixture.client().await;
    let lock = "begin; lock table outbox_done, outbox_exception, outbox_log in exclusive mode";
    locker.batch_execute(lock).await.unwrap();
    let store = PostgresStore::connect(&PostgresOptions::new(&fixture.url())).await.unwrap();
    let stored = store.store(&[event("A", 1)], &[]).await.unwrap();
    assert!(matches!(stored[..], [Stored::New(_)]), "{stored:?}");
}
