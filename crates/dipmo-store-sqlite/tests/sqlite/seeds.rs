//! The relations of the seeds: their names, their columns in their order, their rules.

use dipmo_domain::Timestamp;
use rusqlite::Connection;

use crate::folder::Folder;

const INBOX: &str = "ID MESSAGE_ID SOURCE_SYSTEM TOPIC PARTITION_NUM OFFSET_NUM KEY_STR AGGREGATE_ID \
    EVENT_TYPE PAYLOAD HEADERS RAW_PAYLOAD_BASE64 EVENT_TS RECEIVED_AT STATUS ATTEMPTS \
    NEXT_ATTEMPT_AT PROCESSED_AT ERROR_CODE ERROR_MESSAGE ERROR_STAGE";
const INBOX_OURS: &str = "OUTCOME HELD_BEHIND LANE EVENT_VERSION SOURCE_VERSION ORIGINALS";
const OUTBOX: &str = "ID AGGREGATE_TYPE AGGREGATE_ID EVENT_TYPE EVENT_VERSION PAYLOAD HEADERS \
    DESTINATION CREATED_AT STATUS ATTEMPTS NEXT_ATTEMPT_AT ERROR_CODE ERROR_MESSAGE";
const OUTBOX_OURS: &str = "CAUSE_ID REPLY_PROCESS REPLY_ID HELD_BEHIND EXTERNAL_REF DISPATCHED_AT \
    RECORDS RECORDS_DISPATCHED RECORDS_FAILED OUTCOME JOB_ID";
const OUTBOX_RECORD: &str = "ID OUTBOX_ID DESTINATION RECORD_KEY STATUS ATTEMPTS NEXT_ATTEMPT_AT \
    ERROR_CODE ERROR_MESSAGE EXTERNAL_REF HELD_BEHIND DISPATCHED_AT CREATED_AT \
    OUTCOME JOB_ID";
const OUTBOX_JOB: &str = "ID DESTINATION PHASE REMOTE_ID UNITS CREATED_AT PHASE_AT ENDED_AT";
const INBOX_MIN: &str =
    "ID MESSAGE_ID SOURCE_SYSTEM PAYLOAD RAW_PAYLOAD_BASE64 STATUS NEXT_ATTEMPT_AT ATTEMPTS";
const OUTBOX_MIN: &str = "ID DESTINATION PAYLOAD STATUS NEXT_ATTEMPT_AT ATTEMPTS";
const PROCESS: &str = "ID REFERENCE NOTE STATE LAST_EVENT_TS VERSION ERROR_CODE ERROR_MESSAGE \
    ATTEMPTS CONTEXT LAST_EVENT_VERSIONS";

fn columns(look: &Connection, relation: &str) -> Vec<String> {
    let mut statement = look.prepare("SELECT name FROM pragma_table_xinfo(?1)").unwrap();
    statement.query_map([relation], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[tokio::test]
async fn every_column_is_there_in_order() {
    let folder = Folder::new();
    drop(folder.store().await);
    let look = folder.look();
    for (relation, expected) in [
        ("INBOX", format!("{INBOX} {INBOX_OURS}")),
        ("OUTBOX", format!("{OUTBOX} {OUTBOX_OURS}")),
        ("OUTBOX_RECORD", OUTBOX_RECORD.to_owned()),
        ("OUTBOX_JOB", OUTBOX_JOB.to_lowercase()),
        ("INBOX_MIN", INBOX_MIN.to_owned()),
        ("OUTBOX_MIN", OUTBOX_MIN.to_owned()),
        ("SUITE_PROCESS", PROCESS.to_owned()),
    ] {
        let expected: Vec<_> = expected.split(' ').filter(|name| !name.is_empty()).collect();
        assert_eq!(columns(&look, relation), expected, "{relation}");
    }
}

#[tokio::test]
async fn every_rule_and_index_has_its_name() {
    let folder = Folder::new();
    drop(folder.store().await);
    let look = folder.look();
    let mut statement =
        look.prepare("SELECT name || ' ' || coalesce(sql, '') FROM sqlite_schema").unwrap();
    let made: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for (name, of) in [
        ("IX_INBOX_STATUS_DUE", "inbox_exception (status, next_attempt_at)"),
        ("IX_INBOX_AGG", "inbox_log (aggregate_id)"),
        ("IX_INBOX_RECEIVED_AT", "inbox_log (received_at)"),
        ("IX_OUTBOX_PENDING", "outbox_exception (status, next_attempt_at)"),
        ("IX_OUTBOX_AGG", "outbox_log (aggregate_type, aggregate_id)"),
        ("inbox_exception", "CONSTRAINT CK_INBOX_STATUS"),
        ("inbox_log", "CONSTRAINT CK_INBOX_PAYLOAD_OR_RAW"),
        ("inbox_dedupe", "CONSTRAINT ux_inbox_dedupe"),
        ("outbox_exception", "CONSTRAINT CK_OUTBOX_STATUS"),
        ("SUITE_PROCESS", "CONSTRAINT \"CK_SUITE_STATE\""),
    ] {
        let found = made.iter().any(|sql| sql.starts_with(&format!("{name} ")) && sql.contains(of));
        assert!(found, "{name}: {of}");
    }
}

#[tokio::test]
async fn times_are_text_that_people_can_read() {
    let folder = Folder::new();
    drop(folder.store().await);
    let look = folder.look();
    let shown = |micros: i64| -> String {
        let micros = Timestamp::from_micros(micros).unwrap().as_micros();
        look.execute("DELETE FROM inbox_log", []).unwrap();
        look.execute("DELETE FROM inbox_done", []).unwrap();
        let insert = "INSERT INTO inbox_log (id, message_id, source_system, topic, partition_num, \
                      offset_num, received_at, lane, payload) \
                      VALUES (1, 'm', 's', 't', 0, 0, ?1, 0, '{}')";
        look.execute(insert, [micros]).unwrap();
        look.execute("INSERT INTO inbox_done (id, ended_at) VALUES (1, 0)", []).unwrap();
        look.query_row("SELECT RECEIVED_AT FROM INBOX", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(shown(1_700_000_000_123_999), "2023-11-14 22:13:20.123");
    assert_eq!(shown(1_700_000_000_000_000), "2023-11-14 22:13:20.000");
    assert_eq!(shown(-62_135_596_800_000_000), "0001-01-01 00:00:00.000");
    assert_eq!(shown(253_402_300_799_999_999), "9999-12-31 23:59:59.999");
}
