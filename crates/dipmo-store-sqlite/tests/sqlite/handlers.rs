//! Handlers: their SQL is durable with their message, or not at all.

use dipmo_domain::{Failure, InboxStatus, StoreError};
use dipmo_inbox::Message;
use dipmo_store::{
    Changes, ClaimedBatch, Found, HandlerCall, HandlerOutcome, Inspect as _, Needs, SettlementKind,
};
use dipmo_store_sqlite::{SqliteOptions, SqliteStore};
use dipmo_store_tests::support::{Script, alone, batch, done, intent, kafka, rows, settle, stored};
use rusqlite::Savepoint;

use crate::folder::Folder;

/// Gives every message to a handler, and settles it as the handler answered.
pub(crate) fn calling(name: &'static str) -> Script {
    let call = |message| HandlerCall { message, handler: name.to_owned() };
    let needs = move |batch: &ClaimedBatch| Needs {
        handlers: batch.messages.iter().map(|claimed| call(claimed.message.id)).collect(),
        ..Needs::default()
    };
    Script::default().wave(needs, as_answered)
}

fn as_answered(batch: &ClaimedBatch, found: &Found) -> Changes {
    let settled = settle(batch, |claimed| {
        Some(match &found.handled[&claimed.message.id] {
            HandlerOutcome::Done(_) => done(),
            HandlerOutcome::Retry(failure) => {
                SettlementKind::Retry { after: std::time::Duration::ZERO, failure: failure.clone() }
            }
            HandlerOutcome::Reject(failure) => {
                SettlementKind::Failed { failure: failure.clone(), block: false }
            }
        })
    });
    let intents = found.handled.values().filter_map(|outcome| match outcome {
        HandlerOutcome::Done(intents) => Some(intents.clone()),
        _ => None,
    });
    Changes { intents: intents.flatten().collect(), ..settled }
}

/// Writes a row for each message, then answers by its number.
fn keep(message: &Message, tx: &Savepoint<'_>) -> HandlerOutcome {
    let inserted = tx.execute("INSERT INTO kept (n) VALUES (?1)", [message.offset]);
    let failure = |code| Failure::new(code, "because the test says so");
    match (inserted, message.offset) {
        (Err(error), _) => HandlerOutcome::Reject(Failure::new("sql", &error.to_string())),
        (Ok(_), 2) => HandlerOutcome::Retry(failure("not-yet")),
        (Ok(_), 3) => HandlerOutcome::Reject(failure("never")),
        (Ok(_), 13) => panic!("a handler that panics (part of the test)"),
        (Ok(_), n) => HandlerOutcome::Done(vec![intent(&kafka("kept"), "F-1", n)]),
    }
}

async fn store(folder: &Folder) -> SqliteStore {
    let options = SqliteOptions::new(&folder.url()).handler("keep", keep);
    let store = folder.store_with(options).await;
    folder.look().execute_batch("CREATE TABLE kept (n INTEGER PRIMARY KEY)").unwrap();
    store
}

fn kept(folder: &Folder) -> Vec<i64> {
    let look = folder.look();
    let mut statement = look.prepare("SELECT n FROM kept ORDER BY n").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn its_writes_go_with_its_message_and_spare_its_neighbours() {
    let folder = Folder::new();
    let store = store(&folder).await;
    stored(&store, &[alone(1), alone(2), alone(3), alone(4)]).await;
    batch(&store, calling("keep")).await.unwrap();
    assert_eq!(kept(&folder), [1, 4]);
    let statuses: Vec<_> = rows(&store).await.iter().map(|row| row.status).collect();
    use InboxStatus::{Failed, Processed, Retry};
    assert_eq!(statuses, [Processed, Retry, Failed, Processed]);
    assert_eq!(store.outbox_rows(10).await.unwrap().len(), 2, "the intents of those that ended");
}

#[tokio::test]
async fn its_own_failure_is_undone_by_itself() {
    let folder = Folder::new();
    let store = store(&folder).await;
    folder.look().execute_batch("INSERT INTO kept (n) VALUES (4)").unwrap();
    stored(&store, &[alone(1), alone(4), alone(5)]).await;
    batch(&store, calling("keep")).await.unwrap();
    assert_eq!(kept(&folder), [1, 4, 5]);
    let failure = rows(&store).await[1].failure.clone().unwrap();
    assert!(failure.message().contains("UNIQUE constraint failed: kept.n"), "{failure:?}");
}

#[tokio::test]
async fn what_it_wrote_goes_when_the_batch_goes() {
    let folder = Folder::new();
    let store = store(&folder).await;
    stored(&store, &[alone(1), alone(4)]).await;
    let forgetful = Script::default().wave(
        |batch| Needs {
            handlers: vec![HandlerCall {
                message: batch.messages[0].message.id,
                handler: "keep".to_owned(),
            }],
            ..Needs::default()
        },
        |batch, _| settle(batch, |claimed| (claimed.message.offset == 1).then(done)),
    );
    batch(&store, forgetful).await.unwrap_err();
    assert!(kept(&folder).is_empty());
}

#[tokio::test]
async fn a_panic_undoes_the_batch_and_nothing_else() {
    let folder = Folder::new();
    let store = store(&folder).await;
    let ids = stored(&store, &[alone(1), alone(13), alone(5)]).await;
    let inside = store.clone();
    let panicked = tokio::spawn(async move { batch(&inside, calling("keep")).await.map(drop) });
    let panic = panicked.await.unwrap_err().into_panic();
    assert_eq!(panic.downcast_ref(), Some(&"a handler that panics (part of the test)"));
    assert!(kept(&folder).is_empty());
    assert!(rows(&store).await.iter().all(|row| row.status == InboxStatus::Received));
    assert_eq!(batch(&store, Script::process_all()).await.unwrap().ids(), ids);
}

#[tokio::test]
async fn a_handler_that_nobody_registered_is_a_rejection() {
    let folder = Folder::new();
    let store = store(&folder).await;
    stored(&store, &[alone(1)]).await;
    let ran = batch(&store, calling("unheard-of")).await.unwrap();
    let answer = ran.found[0].handled.values().next().unwrap();
    let HandlerOutcome::Reject(failure) = answer else { panic!("{answer:?}") };
    assert!(failure.message().contains("\"unheard-of\""), "{failure:?}");
}

#[tokio::test]
async fn a_message_of_somebody_else_is_not_handed_out() {
    let folder = Folder::new();
    let store = store(&folder).await;
    let ids = stored(&store, &[alone(1)]).await;
    batch(&store, Script::process_all()).await.unwrap();
    stored(&store, &[alone(2)]).await;
    let call = HandlerCall { message: ids[0], handler: "keep".to_owned() };
    let script = Script::reading(Needs { handlers: vec![call], ..Needs::default() });
    let ran = batch(&store, script).await.unwrap();
    assert!(matches!(ran.found[0].handled[&ids[0]], HandlerOutcome::Reject(_)));
    assert!(kept(&folder).is_empty());
}

/// Half of a batch that became durable would be messages that are gone.
#[tokio::test]
async fn a_handler_cannot_end_the_transaction() {
    for ending in ["COMMIT", "ROLLBACK", "ROLLBACK; INSERT INTO kept (n) VALUES (99)"] {
        let folder = Folder::new();
        let ends = move |_: &Message, tx: &Savepoint<'_>| {
            tx.execute_batch("INSERT INTO kept (n) VALUES (1)").unwrap();
            drop(tx.execute_batch(ending));
            HandlerOutcome::Done(vec![])
        };
        let options = SqliteOptions::new(&folder.url()).handler("ends", ends);
        let store = folder.store_with(options).await;
        folder.look().execute_batch("CREATE TABLE kept (n INTEGER PRIMARY KEY)").unwrap();
        let ids = stored(&store, &[alone(1), alone(2)]).await;
        let error = batch(&store, calling("ends")).await.unwrap_err();
        assert!(matches!(error, StoreError::Unexpected { .. }), "{ending}: {error:?}");
        assert!(kept(&folder).is_empty(), "{ending}");
        assert_eq!(batch(&store, Script::process_all()).await.unwrap().ids(), ids, "{ending}");
    }
}
