//! The handy queries of the seeds, on the views. FETCH FIRST is LIMIT here, SYSTIMESTAMP is
//! CURRENT_TIMESTAMP, and there is nothing to lock.

use std::time::Duration;

use dipmo_domain::InboxId;
use dipmo_outbox::UnitResult;
use dipmo_store_sqlite::SqliteStore;
use dipmo_store_tests::support::{
    LONG, Script, alone, batch, begin, done, event, failed, intent, kafka, record_keys, retry,
    row_of, stored, with_record, write_intents,
};
use rusqlite::Connection;

use crate::folder::Folder;
use crate::support::number;

const NEXT_DUE: &str = "SELECT *
    FROM INBOX
    WHERE STATUS IN ('RECEIVED', 'RETRY')
          AND (NEXT_ATTEMPT_AT IS NULL OR NEXT_ATTEMPT_AT <= CURRENT_TIMESTAMP)
    ORDER BY RECEIVED_AT
    LIMIT 100";
const AGEING: &str = "SELECT STATUS, COUNT(*) AS CNT, MIN(RECEIVED_AT) AS OLDEST
    FROM INBOX
    GROUP BY STATUS";
const PENDING: &str = "SELECT *
    FROM OUTBOX
    WHERE STATUS = 'PENDING'
          AND (NEXT_ATTEMPT_AT IS NULL OR NEXT_ATTEMPT_AT <= CURRENT_TIMESTAMP)
    ORDER BY CREATED_AT
    LIMIT 200";

/// Messages that stand in every possible way; their ids in this order: ready, due again, due
/// later, held behind that one, failed, processed, processed at the second attempt, undecodable.
async fn every_standing(folder: &Folder, store: &SqliteStore) -> Vec<InboxId> {
    let poison = with_record(|record| record.value = Some(b"{".to_vec()));
    let messages =
        [alone(2), event("F-3", 1), event("F-3", 2), alone(5), alone(6), alone(7), poison];
    let ids = stored(store, &messages).await;
    let settles = |number: i64| match number {
        1 => retry(LONG),
        2 => retry(Duration::ZERO),
        5 => failed(false),
        7 => retry(Duration::ZERO),
        _ => done(),
    };
    let held = ids[2];
    let script = Script::settling(move |claimed| {
        if claimed.message.id == held {
            return dipmo_store::SettlementKind::Held;
        }
        settles(claimed.message.offset)
    });
    batch(store, script).await.unwrap();
    let second = ids[5];
    let again =
        Script::settling(
            move |claimed| {
                if claimed.message.id == second { done() } else { retry(Duration::ZERO) }
            },
        );
    batch(store, again).await.unwrap();
    // CURRENT_TIMESTAMP has whole seconds: what came due within this one shows in the next.
    let past =
        "UPDATE inbox_exception SET next_attempt_at = next_attempt_at - 2000000 WHERE id = ?1";
    folder.look().execute(past, [ids[0].0]).unwrap();
    let ready = stored(store, &[alone(1)]).await;
    [ready, ids].concat()
}

fn ids_of(look: &Connection, query: &str) -> Vec<i64> {
    let mut statement = look.prepare(query).unwrap();
    let mut ids: Vec<i64> =
        statement.query_map([], |row| row.get("ID")).unwrap().map(Result::unwrap).collect();
    ids.sort_unstable();
    ids
}

fn sorted(ids: &[InboxId]) -> Vec<i64> {
    let mut ids: Vec<_> = ids.iter().map(|id| id.0).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn next_batch_due() {
    let folder = Folder::new();
    let store = folder.store().await;
    let ids = every_standing(&folder, &store).await;
    let look = folder.look();
    // The seeds do not know messages that are held: they are RECEIVED, and wait for nobody's clock.
    assert_eq!(ids_of(&look, NEXT_DUE), sorted(&[ids[0], ids[1], ids[3]]));
    let not_held = NEXT_DUE.replace("ORDER BY", "AND HELD_BEHIND IS NULL ORDER BY");
    assert_eq!(ids_of(&look, &not_held), sorted(&ids[..2]));
    let held = format!("SELECT HELD_BEHIND FROM INBOX WHERE ID = {}", ids[3].0);
    assert_eq!(number(&look, &held), ids[2].0);
}

#[tokio::test]
async fn ageing_report() {
    let folder = Folder::new();
    let store = folder.store().await;
    let ids = every_standing(&folder, &store).await;
    let look = folder.look();
    let mut statement = look.prepare(AGEING).unwrap();
    let mut report: Vec<(String, i64, String)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    report.sort();
    let counts: Vec<_> = report.iter().map(|(status, count, _)| (&**status, *count)).collect();
    let expected =
        [("FAILED", 1), ("PROCESSED", 2), ("RECEIVED", 2), ("RETRY", 2), ("SERDE_ERROR", 1)];
    assert_eq!(counts, expected);
    let received_at = row_of(&store, ids[2]).await.message.received_at.to_string();
    let shown = report[3].2.replace(' ', "T");
    assert!(received_at.starts_with(&shown.trim_end_matches('0')[..19]), "{received_at} {shown}");
}

#[tokio::test]
async fn outbox_pending() {
    let folder = Folder::new();
    let store = folder.store().await;
    let mut intents: Vec<_> = (1..=3).map(|n| intent(&kafka("t"), &format!("F-{n}"), n)).collect();
    intents[2].records = record_keys(2);
    let ids = write_intents(&store, intents).await;
    let look = folder.look();
    assert_eq!(ids_of(&look, PENDING).len(), ids.len());
    assert_eq!(number(&look, "SELECT count(*) FROM OUTBOX_RECORD WHERE STATUS = 'PENDING'"), 2);
    dipmo_store_tests::support::dispatch_all(&store, &kafka("t")).await;
    assert!(ids_of(&look, PENDING).is_empty());
    let ended = "SELECT count(*) FROM OUTBOX WHERE STATUS = 'DISPATCHED'";
    assert_eq!(number(&look, ended), 3);
}

/// Whatever a view shows is every row of the log, once.
#[tokio::test]
async fn nothing_is_missing_or_doubled() {
    let folder = Folder::new();
    let store = folder.store().await;
    let ids = every_standing(&folder, &store).await;
    let look = folder.look();
    assert_eq!(ids_of(&look, "SELECT ID FROM INBOX"), sorted(&ids));
    assert_eq!(number(&look, "SELECT count(*) FROM INBOX_MIN"), 8);
}

#[tokio::test]
async fn a_query_by_status_does_not_read_the_history() {
    let folder = Folder::new();
    drop(folder.store().await);
    let look = folder.look();
    for query in [NEXT_DUE, PENDING] {
        let mut statement = look.prepare(&format!("EXPLAIN QUERY PLAN {query}")).unwrap();
        let plan: Vec<String> =
            statement.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
        assert!(!plan.iter().any(|step| step.starts_with("SCAN l")), "{plan:#?}");
    }
}

/// OUTBOX and OUTBOX_RECORD say in which job a unit is: as long as it is.
#[tokio::test]
async fn the_job_of_a_unit() {
    let folder = Folder::new();
    let store = folder.store().await;
    let mut with_records = intent(&kafka("t"), "F-1", 1);
    with_records.records = record_keys(4);
    write_intents(&store, vec![with_records, intent(&kafka("t"), "F-2", 1)]).await;
    let job = begin(&store, &kafka("t"), "a").await;
    let count = |view: &str| {
        let id = job.id();
        let pending = format!("WHERE JOB_ID = {id} AND STATUS = 'PENDING'");
        number(&folder.look(), &format!("SELECT count(*) FROM {view} {pending}"))
    };
    assert_eq!((count("OUTBOX"), count("OUTBOX_RECORD")), (1, 4));
    job.settle(&store, |_| UnitResult::InJob(job.id())).await;
    assert_eq!((count("OUTBOX"), count("OUTBOX_RECORD")), (1, 4), "with rows of their own");
    job.deliver(&store).await;
    assert_eq!((count("OUTBOX"), count("OUTBOX_RECORD")), (0, 0));
    let ended = "SELECT count(*) FROM OUTBOX_JOB WHERE PHASE = 'ENDED' AND UNITS = 5";
    assert_eq!(number(&folder.look(), ended), 1);
}
