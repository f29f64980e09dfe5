//! Transactional handlers: SQL of one's own, committed with the message or not at all.

use std::collections::HashMap;
use std::sync::Arc;

use crate::support::database::Database;
use crate::support::server::Server;
use async_trait::async_trait;
use dipmo_domain::Failure;
use dipmo_inbox::{Inbox as _, Message};
use dipmo_store::{
    Changes, HandlerCall, HandlerOutcome, Inspect as _, Needs, Settlement, SettlementKind,
    Store as _,
};
use dipmo_store_postgres::{HandlerTransaction, PostgresHandler, PostgresOptions, PostgresStore};
use dipmo_store_tests::suite_tables;
use dipmo_store_tests::support::{Script, batch, done, event_saying, intent, kafka};

/// Writes its message into a table, then does what the payload says.
struct Obedient;

#[async_trait]
impl PostgresHandler for Obedient {
    async fn handle(
        &self,
        message: &Message,
        transaction: &HandlerTransaction<'_>,
    ) -> HandlerOutcome {
        let insert = "insert into handled (message_id) values ($1)";
        transaction.execute(insert, &[&message.message_id]).await.unwrap();
        match message.payload.as_ref().map(dipmo_domain::Json::as_str) {
            Some("\"retry\"") => HandlerOutcome::Retry(Failure::new("busy", "later")),
            Some("\"reject\"") => HandlerOutcome::Reject(Failure::new("bad", "never")),
            Some("\"commit\"") => {
                let refused = transaction.execute("commit", &[]).await;
                assert!(refused.is_err(), "a handler ended the transaction");
                HandlerOutcome::Reject(Failure::new("refused", "as it must be"))
            }
            Some("\"break\"") => {
                let broken = transaction.execute("insert into no_such_table values (1)", &[]).await;
                assert!(broken.is_err());
                HandlerOutcome::Done(Vec::new())
            }
            _ => HandlerOutcome::Done(vec![intent(&kafka("t"), "F-1", 1)]),
        }
    }
}

fn all_to(handler: &'static str) -> Script {
    Script::default().wave(
        move |batch| Needs {
            handlers: batch
                .messages
                .iter()
                .map(|m| HandlerCall { message: m.message.id, handler: handler.to_owned() })
                .collect(),
            ..Needs::default()
        },
        |_, found| {
            let mut changes = Changes::default();
            for (message, outcome) in &found.handled {
                let kind = match outcome.clone() {
                    HandlerOutcome::Done(intents) => {
                        changes.intents.extend(intents);
                        done()
                    }
                    HandlerOutcome::Retry(failure) => {
                        SettlementKind::Retry { after: std::time::Duration::from_secs(60), failure }
                    }
                    HandlerOutcome::Reject(failure) => {
                        SettlementKind::Failed { failure, block: true }
                    }
                };
                changes.settlements.push(Settlement { message: *message, kind });
            }
            changes
        },
    )
}

async fn store() -> (Database, PostgresStore) {
    let database = Database::create(Server(15)).await;
    let handlers: HashMap<String, Arc<dyn PostgresHandler>> =
        HashMap::from([("obedient".to_owned(), Arc::new(Obedient) as Arc<dyn PostgresHandler>)]);
    let options = PostgresOptions::new(&database.url());
    let store = PostgresStore::with_handlers(&options, handlers).await.unwrap();
    store.migrate(&suite_tables()).await.unwrap();
    let client = database.client().await;
    client
        .batch_execute("create table handled (message_id varchar(200) primary key)")
        .await
        .unwrap();
    (database, store)
}

async fn handled(database: &Database) -> i64 {
    let client = database.client().await;
    client.query_one("select count(*) from handled", &[]).await.unwrap().get(0)
}

async fn statuses(store: &PostgresStore) -> Vec<(String, Option<String>)> {
    let mut rows = store.inbox_rows(10).await.unwrap();
    rows.sort_by_key(|row| row.message.id);
    let code =
        |row: &dipmo_inbox::InboxRow| row.failure.as_ref().map(|failure| failure.code().to_owned());
    rows.iter().map(|row| (row.status.to_string(), code(row))).collect()
}

#[tokio::test]
async fn what_fails_is_undone_and_its_neighbours_go_on() {
    let (database, store) = store().await;
    let say = |aggregate: &str, payload: &str| event_saying(aggregate, 1, payload);
    let messages = [
        say("A", "\"do\""),
        say("B", "\"retry\""),
        say("C", "\"reject\""),
        say("D", "\"break\""),
        say("E", "\"do\""),
        say("F", "\"commit\""),
    ];
    store.store(&messages, &[]).await.unwrap();
    batch(&store, all_to("obedient")).await.unwrap();
    assert_eq!(handled(&database).await, 2, "A and E, committed with their messages");
    let of = |status: &str, code: Option<&str>| (status.to_owned(), code.map(str::to_owned));
    let expected = [
        of("PROCESSED", None),
        of("RETRY", Some("busy")),
        of("FAILED", Some("bad")),
        of("FAILED", Some("handler-failed")),
        of("PROCESSED", None),
        of("FAILED", Some("refused")),
    ];
    assert_eq!(statuses(&store).await, expected);
    assert_eq!(store.outbox_rows(10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_batch_that_rolls_back_takes_the_handler_with_it() {
    let (database, store) = store().await;
    store.store(&[event_saying("A", 1, "\"do\"")], &[]).await.unwrap();
    let unsettled = Script::default().wave(
        |batch| Needs {
            handlers: vec![HandlerCall {
                message: batch.messages[0].message.id,
                handler: "obedient".into(),
            }],
            ..Needs::default()
        },
        |_, _| Changes::default(),
    );
    assert!(batch(&store, unsettled).await.is_err());
    assert_eq!(handled(&database).await, 0);
    batch(&store, all_to("obedient")).await.unwrap();
    assert_eq!(handled(&database).await, 1);
}

#[tokio::test]
async fn an_unknown_handler_is_said_by_name() {
    let (_database, store) = store().await;
    store.store(&[event_saying("A", 1, "1")], &[]).await.unwrap();
    batch(&store, all_to("nobody")).await.unwrap();
    let row = &store.inbox_rows(1).await.unwrap()[0];
    let failure = row.failure.as_ref().unwrap();
    assert_eq!(failure.code(), "handler-failed");
    assert!(failure.message().contains("nobody"), "{}", failure.message());
}
