//! INBOX, OUTBOX and the process tables show what the seeds say, and the seeds' queries run.

use std::time::Duration;

use crate::support::fixture::Postgres;
use dipmo_store_tests::Fixture as _;
use dipmo_store_tests::support::{
    Script, batch, event, failed, intent, kafka, marker, retry, stored, with_record, write_intents,
};

/// Columns of the seeds: name, type in PostgreSQL, greatest length.
const INBOX: &[(&str, &str, Option<i32>)] = &[
    ("id", "bigint", None),
    ("message_id", "character varying", Some(200)),
    ("source_system", "character varying", Some(100)),
    ("topic", "character varying", Some(200)),
    ("partition_num", "integer", None),
    ("offset_num", "bigint", None),
    ("key_str", "character varying", Some(4000)),
    ("aggregate_id", "character varying", Some(200)),
    ("event_type", "character varying", Some(200)),
    ("payload", "json", None),
    ("headers", "json", None),
    ("raw_payload_base64", "text", None),
    ("event_ts", "timestamp with time zone", None),
    ("received_at", "timestamp with time zone", None),
    ("status", "character varying", Some(20)),
    ("attempts", "integer", None),
    ("next_attempt_at", "timestamp with time zone", None),
    ("processed_at", "timestamp with time zone", None),
    ("error_code", "character varying", Some(200)),
    ("error_message", "character varying", Some(2000)),
    ("error_stage", "character varying", Some(50)),
];
const OUTBOX: &[(&str, &str, Option<i32>)] = &[
    ("id", "bigint", None),
    ("aggregate_type", "character varying", Some(50)),
    ("aggregate_id", "character varying", Some(200)),
    ("event_type", "character varying", Some(200)),
    ("event_version", "integer", None),
    ("payload", "json", None),
    ("headers", "json", None),
    ("destination", "character varying", Some(200)),
    ("created_at", "timestamp with time zone", None),
    ("status", "character varying", Some(20)),
    ("attempts", "integer", None),
    ("next_attempt_at", "timestamp with time zone", None),
    ("error_code", "character varying", Some(200)),
    ("error_message", "character varying", Some(2000)),
];
const PROCESS: &[(&str, &str, Option<i32>)] = &[
    ("id", "character varying", Some(200)),
    ("state", "character varying", Some(30)),
    ("last_event_ts", "timestamp with time zone", None),
    ("version", "bigint", None),
    ("error_code", "character varying", Some(200)),
    ("error_message", "character varying", Some(2000)),
];

#[tokio::test]
async fn every_column_has_the_name_and_type_of_the_seeds() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    for (relation, columns) in [("inbox", INBOX), ("outbox", OUTBOX), ("suite_process", PROCESS)] {
        for (name, kind, length) in columns {
            let find = "select data_type::text, character_maximum_length::int4 \
                        from information_schema.columns where table_name = $1 and column_name = $2";
            let row = client.query_one(find, &[&relation, name]).await.unwrap();
            let found = (row.get::<_, String>(0), row.get::<_, Option<i32>>(1));
            assert_eq!(found, ((*kind).to_owned(), *length), "{relation}.{name}");
        }
    }
}

#[tokio::test]
async fn constraints_and_indexes_keep_their_names() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    for (kind, name) in [
        ("constraint", "ux_inbox_dedupe"),
        ("constraint", "ck_inbox_status"),
        ("constraint", "ck_inbox_payload_or_raw"),
        ("constraint", "ck_outbox_status"),
        ("index", "ix_inbox_status_due"),
        ("index", "ix_inbox_agg"),
        ("index", "ix_inbox_received_at"),
        ("index", "ix_outbox_pending"),
        ("index", "ix_outbox_agg"),
    ] {
        let find = match kind {
            "constraint" => {
                "select count(*) from pg_constraint where conname = $1 and coninhcount = 0"
            }
            _ => "select count(*) from pg_class where relname = $1 and relkind in ('i', 'I')",
        };
        let count: i64 = client.query_one(find, &[&name]).await.unwrap().get(0);
        assert_eq!(count, 1, "{kind} {name}");
    }
}

#[tokio::test]
async fn the_rules_of_the_seeds_are_enforced() {
    let fixture = Postgres::<15>::fresh().await;
    let client = fixture.client().await;
    for (rule, statement) in [
        (
            "ck_inbox_payload_or_raw",
            "insert into inbox_log (id, offset_num, partition_num, lane, message_id, source_system, topic) \
             values (1, 0, 0, 0, 'm', 's', 't')",
        ),
        (
            "ck_inbox_status",
            "insert into inbox_exception (id, logged_at, lane, status) values (1, now(), 0, 'LOST')",
        ),
        (
            "ck_outbox_status",
            "insert into outbox_exception (id, logged_at, lane, queue, status) \
             values (1, now(), 0, 'INTERNAL', 'RETRY')",
        ),
        (
            "ck_suite_state",
            "insert into suite_process (id, state, reference) values ('x', 'NO_SUCH_STATE', 'r')",
        ),
    ] {
        let error = client.batch_execute(statement).await.unwrap_err();
        let found =
            error.as_db_error().and_then(|db| db.constraint()).unwrap_or_default().to_owned();
        assert_eq!(found, rule, "{error}");
    }
}

/// Seed 002 §10 and seed 001 §11, without FOR UPDATE: a view cannot be locked, and nobody claims
/// through it.
#[tokio::test]
async fn the_queries_of_the_seeds_run_and_are_right() {
    let fixture = Postgres::<15>::fresh().await;
    let store = fixture.store();
    let ids = stored(&*store, &[event("F-1", 1), event("F-2", 2), event("F-3", 3)]).await;
    store.store(&[with_record(|record| record.value = Some(b"\xff".to_vec()))], &[]).await.unwrap();
    let verdict = move |claimed: &dipmo_store::ClaimedMessage| match claimed.message.id {
        id if id == ids[0] => retry(Duration::ZERO),
        id if id == ids[1] => failed(true),
        _ => dipmo_store_tests::support::done(),
    };
    batch(&*store, Script::settling(verdict)).await.unwrap();
    stored(&*store, &[event("F-4", 4)]).await;
    let client = fixture.client().await;

    let due = "SELECT * FROM INBOX WHERE STATUS IN ('RECEIVED', 'RETRY') \
               AND (NEXT_ATTEMPT_AT IS NULL OR NEXT_ATTEMPT_AT <= now()) \
               ORDER BY RECEIVED_AT FETCH FIRST 100 ROWS ONLY";
    let due: Vec<String> =
        client.query(due, &[]).await.unwrap().iter().map(|row| row.get("status")).collect();
    assert_eq!(due, ["RETRY", "RECEIVED"]);

    let ageing = "SELECT STATUS, COUNT(*) AS CNT, MIN(RECEIVED_AT) AS OLDEST FROM INBOX GROUP BY STATUS ORDER BY 1";
    let ageing: Vec<(String, i64)> = client
        .query(ageing, &[])
        .await
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect();
    let expected = ["FAILED", "PROCESSED", "RECEIVED", "RETRY", "SERDE_ERROR"];
    assert_eq!(ageing, expected.map(|status| (status.to_owned(), 1)));

    write_intents(&*store, vec![intent(&kafka("t"), "F-1", 1)]).await;
    stored(&*store, &[marker()]).await;
    let pending = "SELECT * FROM OUTBOX WHERE STATUS = 'PENDING' \
                   AND (NEXT_ATTEMPT_AT IS NULL OR NEXT_ATTEMPT_AT <= now()) \
                   ORDER BY CREATED_AT FETCH FIRST 200 ROWS ONLY";
    let pending = client.query(pending, &[]).await.unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].get::<_, &str>("destination"), "KAFKA:t");

    for minimal in ["INBOX_MIN", "OUTBOX_MIN"] {
        assert!(!client.query(&format!("SELECT * FROM {minimal}"), &[]).await.unwrap().is_empty());
    }
}
