//! Troubles of the file: nothing is lost, and it goes on when they are over.

use std::time::Duration;

use dipmo_domain::{Coded as _, InboxStatus, StoreError};
use dipmo_inbox::{Inbox as _, NewMessage};
use dipmo_store::{Changes, HandlerOutcome, Inspect as _};
use dipmo_store_sqlite::SqliteOptions;
use dipmo_store_tests::support::{
    Script, alone, batch, event_saying, intent, kafka, row_of, rows, stored,
};

use crate::folder::Folder;
use crate::support::number;

fn large(number: i64) -> NewMessage {
    event_saying("F-1", number, &format!("\"{}\"", "x".repeat(100_000)))
}

#[tokio::test]
async fn a_full_disk_refuses_a_message_and_keeps_the_others() {
    let folder = Folder::new();
    let mut options = SqliteOptions { max_pages: Some(200), ..SqliteOptions::new(&folder.url()) };
    let store = folder.store_with(options.clone()).await;
    let mut kept = 0;
    let error = loop {
        match store.store(&[alone(2 * kept), large(kept)], &[]).await {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
    };
    let StoreError::Full { statement, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*statement, "inbox_insert");
    assert!(kept > 0, "some fitted");
    assert_eq!(rows(&store).await.len(), 2 * usize::try_from(kept).unwrap(), "no half of a call");
    drop(store);
    options.max_pages = None;
    let store = folder.store_with(options).await;
    stored(&store, &[large(kept)]).await;
}

#[tokio::test]
async fn a_full_disk_undoes_a_batch() {
    let folder = Folder::new();
    let options = SqliteOptions { max_pages: Some(300), ..SqliteOptions::new(&folder.url()) };
    let store = folder.store_with(options).await;
    let ids = stored(&store, &[alone(1)]).await;
    let too_much = Script::writing(|_| {
        let payload = dipmo_domain::Json::parse(&format!("\"{}\"", "x".repeat(2_000_000))).unwrap();
        let intent = dipmo_outbox::NewIntent { payload, ..intent(&kafka("t"), "F-1", 1) };
        Changes { intents: vec![intent], ..Changes::default() }
    });
    let error = batch(&store, too_much).await.unwrap_err();
    assert_eq!(error.code().as_str(), "store-full", "{error:?}");
    assert_eq!(row_of(&store, ids[0]).await.status, InboxStatus::Received);
    assert!(store.outbox_rows(10).await.unwrap().is_empty());
    assert_eq!(batch(&store, Script::process_all()).await.unwrap().ids(), ids);
}

#[tokio::test]
async fn another_process_that_writes_makes_it_busy_for_a_while() {
    let folder = Folder::new();
    let patience = Duration::from_millis(30);
    let options = SqliteOptions { patience, ..SqliteOptions::new(&folder.url()) };
    let store = folder.store_with(options).await;
    let look = folder.look();
    look.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.store(&[alone(1)], &[]).await.unwrap_err();
    assert!(matches!(error, StoreError::Busy { statement: "begin", .. }), "{error:?}");
    assert!(error.is_transient());
    assert!(rows(&store).await.is_empty(), "reading goes on");
    look.execute_batch("COMMIT").unwrap();
    stored(&store, &[alone(1)]).await;
}

#[tokio::test]
async fn a_connection_that_may_not_write_says_so() {
    let folder = Folder::new();
    let forbid = |_: &_, tx: &rusqlite::Savepoint<'_>| {
        tx.execute_batch("PRAGMA query_only = ON").unwrap();
        HandlerOutcome::Done(vec![])
    };
    let options = SqliteOptions::new(&folder.url()).handler("forbid", forbid);
    let store = folder.store_with(options).await;
    stored(&store, &[alone(1)]).await;
    let error = batch(&store, crate::handlers::calling("forbid")).await.unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    assert_eq!(number(&folder.look(), "SELECT count(*) FROM inbox_ready"), 1);
}

#[tokio::test]
async fn a_row_that_breaks_a_rule_of_the_seeds_is_refused() {
    let folder = Folder::new();
    let store = folder.store().await;
    let long = NewMessage { message_id: "x".repeat(201), ..alone(1) };
    let error = store.store(&[alone(2), long], &[]).await.unwrap_err();
    let StoreError::RowRefused { statement, problem } = error else { panic!("{error:?}") };
    assert_eq!(statement, "inbox_insert");
    assert!(problem.contains("length(message_id) <= 200"), "{problem}");
    assert!(rows(&store).await.is_empty());
}
