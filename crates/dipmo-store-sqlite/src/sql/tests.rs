//! Every statement is used, and none reads a large table from end to end.

use super::*;
use std::collections::BTreeSet;

use rusqlite::Connection;

fn all() -> Vec<Sql> {
    [PLAIN.to_vec(), shared(), of_process("\"HIT_PROCESS\""), filtered("e.status = 'FAILED'")]
        .concat()
}

fn migrated() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(&migration_table().text).unwrap();
    for migration in crate::migrate::MIGRATIONS {
        connection.execute_batch(migration.sql).unwrap();
    }
    let table = dipmo_api::table::ProcessTable {
        process: "HIT",
        states: vec!["RECEIVED"],
        initial: "RECEIVED",
        state_check: "CK_HIT_STATE",
        projected: vec![],
    };
    connection.execute_batch(&crate::ddl::process_table(&table)).unwrap();
    connection
}

#[test]
fn every_file_is_a_statement_and_says_what_it_does() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/sql");
    let files: BTreeSet<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let used: BTreeSet<_> = all().iter().map(|sql| format!("{}.sql", sql.name)).collect();
    assert_eq!(files, used);
    for sql in all() {
        assert!(sql.text.starts_with("-- "), "{} has no first comment", sql.name);
        let code = sql.text.lines().filter(|line| !line.starts_with("--"));
        assert_eq!(code.filter(|line| line.contains(';')).count(), 0, "{}", sql.name);
    }
}

/// The tables that grow for ever: reading them from end to end is what must not happen.
const LARGE: [&str; 7] = [
    "inbox_log",
    "inbox_dedupe",
    "inbox_done",
    "outbox_log",
    "outbox_record_log",
    "outbox_done",
    "outbox_progress",
];

#[test]
fn no_statement_reads_a_large_table_from_end_to_end() {
    let connection = migrated();
    for sql in all() {
        let scans: Vec<_> = names_of_large(&sql.text).map(|name| format!("SCAN {name}")).collect();
        for step in plan(&connection, &sql.text) {
            let scan = step.split(" USING").next().unwrap_or_default();
            assert!(!scans.iter().any(|name| name == scan), "{}: {step}", sql.name);
            assert!(!step.contains("AUTOMATIC"), "{}: {step}", sql.name);
        }
    }
}

/// The names that a plan may call large tables by: their own, and their aliases, which are the
/// small letters that follow.
fn names_of_large(text: &str) -> impl Iterator<Item = &str> {
    let words: Vec<_> = text.split([' ', '\n', '(', ')', ',']).filter(|w| !w.is_empty()).collect();
    let is_alias = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    let pairs: Vec<_> = words.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let aliases = pairs
        .into_iter()
        .filter(move |(table, word)| LARGE.contains(table) && is_alias(word))
        .map(|(_, alias)| alias);
    aliases.chain(LARGE)
}

#[test]
fn hot_statements_sort_nothing() {
    let connection = migrated();
    let shared = [Which::Inbox, Which::Outbox].map(chunk_list);
    for sql in shared.iter().chain(&[inbox_take(), outbox_read(), record_rows()]) {
        let plan = plan(&connection, &sql.text);
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{}: {plan:?}", sql.name);
    }
}

/// What has ended after a detour stays in these tables: only those that have not are read.
#[test]
fn the_backlog_is_counted_without_what_has_ended() {
    let connection = migrated();
    for (sql, index) in [
        (backlog_inbox(), "SEARCH inbox_exception USING INDEX IX_INBOX_STATUS_DUE (status=?)"),
        // All of this index has not ended.
        (backlog_outbox(), "SCAN outbox_exception USING INDEX ix_outbox_exception_open"),
        (backlog_jobs(), "SCAN outbox_job USING INDEX ix_outbox_job_open"),
    ] {
        let plan = plan(&connection, &sql.text);
        assert!(plan.contains(&index.to_owned()), "{}: {plan:?}", sql.name);
    }
}

/// What every batch asks for is told by an index, without what has ended.
#[test]
fn what_is_due_and_what_failed_is_told_by_an_index() {
    let connection = migrated();
    for which in [Which::Inbox, Which::Outbox] {
        let name = which.name();
        let due = format!(
            "SEARCH {name}_exception USING INDEX ix_{name}_exception_due \
             (queue=? AND lane=? AND next_attempt_at<?)"
        );
        let failed = format!("SCAN {name}_exception USING INDEX ix_{name}_exception_failed");
        for (sql, index) in [(due_count(which), due), (failed_any(which), failed)] {
            let plan = plan(&connection, &sql.text);
            assert!(plan.contains(&index), "{}: {plan:?}", sql.name);
        }
    }
}

/// What is in no job, and jobs that have ended, cost nothing.
#[test]
fn jobs_are_read_by_their_indexes() {
    let connection = migrated();
    let (jobs, rows) = ("ix_outbox_job_open", "ix_outbox_exception_job (job_id=? AND id>?)");
    let chunks = "ix_outbox_ready_job (job_id=? AND job_last>?)";
    for (sql, index) in [
        (job_any(), jobs),
        (job_take(), jobs),
        (job_read(), chunks),
        (job_read_due(), rows),
        (job_release(), chunks),
        (job_release_list(), rows),
    ] {
        let plan = plan(&connection, &sql.text);
        assert!(plan[0].contains(index), "{}: {plan:?}", sql.name);
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{}: {plan:?}", sql.name);
    }
}

/// What an operation is about is found without what has ended, and performed without what was met.
#[test]
fn operations_are_read_by_their_indexes() {
    let connection = migrated();
    let wanted = "e.status IN ('FAILED', 'RETRY') AND e.held = 0";
    for (sql, index) in [
        (operation_messages(wanted), "ix_inbox_exception_listed (status=?)"),
        (operation_messages("e.fingerprint = ?"), "ix_inbox_exception_fingerprint (fingerprint=?)"),
        (operation_units(wanted), "ix_outbox_exception_listed (status=?)"),
        (operation_units("e.fingerprint = ?"), "ix_outbox_exception_fingerprint (fingerprint=?)"),
        (operation_item_next(), "ix_dipmo_operation_item_open (operation_id=?)"),
    ] {
        let plan = plan(&connection, &sql.text);
        assert!(plan[0].contains(index), "{}: {plan:?}", sql.name);
    }
}

/// A page of a list enters an index at one place, and reads on in the order in which it shows.
#[test]
fn lists_walk_their_indexes() {
    let connection = migrated();
    let mut walks = vec![
        (record_ids(), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)".to_owned()),
        (
            record_ids_of(),
            "ix_outbox_record_log_outbox_id (outbox_id=? AND rowid>? AND rowid<?)".to_owned(),
        ),
        (
            message_ids_by_aggregate(),
            "IX_INBOX_AGG (aggregate_id=? AND rowid>? AND rowid<?)".to_owned(),
        ),
        (
            intent_ids_by_aggregate(),
            "IX_OUTBOX_AGG (aggregate_type=? AND aggregate_id=? AND rowid<?)".to_owned(),
        ),
        (intent_ids_by_cause(), "ix_outbox_log_cause (cause_id=? AND rowid<?)".to_owned()),
        (intents_caused(), "ix_outbox_log_cause (cause_id=?)".to_owned()),
        (message_since(), "IX_INBOX_RECEIVED_AT (received_at>?)".to_owned()),
        (intent_since(), "ix_outbox_created_at (created_at>?)".to_owned()),
        (inbox_rows(), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)".to_owned()),
        (outbox_rows(), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)".to_owned()),
        (audit_ids(), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)".to_owned()),
        (state_list("HIT_PROCESS"), "sqlite_autoindex_HIT_PROCESS_1 (ID>?)".to_owned()),
    ];
    for which in [Which::Inbox, Which::Outbox] {
        let (name, ids) = (which.name(), "rowid>? AND rowid<?");
        let of = |index: &str, by: &str| {
            format!("ix_{name}_exception_{index} ({by}=? AND id>? AND id<?)")
        };
        walks.extend([
            (log_ids(which), format!("INTEGER PRIMARY KEY ({ids})")),
            (aside_ids(which), format!("INTEGER PRIMARY KEY ({ids})")),
            (aside_ids_by_status(which), of("listed", "status")),
            (aside_ids_by_failure(which), of("fingerprint", "fingerprint")),
        ]);
    }
    for (sql, index) in walks {
        let plan = plan(&connection, &sql.text);
        assert!(plan[0].contains(&index), "{}: {plan:?}", sql.name);
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{}: {plan:?}", sql.name);
    }
    for sql in [message_lines("1"), unit_lines("1"), audit_lines()] {
        let plan = plan(&connection, &sql.text);
        assert!(plan[0].contains("SCAN i VIRTUAL TABLE"), "{}: {plan:?}", sql.name);
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{}: {plan:?}", sql.name);
    }
}

/// What is ready is asked for lane by lane, and types of aggregates one by one.
#[test]
fn few_places_of_large_indexes_are_looked_at() {
    let connection = migrated();
    for (sql, steps) in [
        (message_ready_from(), ["SEARCH r USING PRIMARY KEY (queue=? AND lane=?)"].as_slice()),
        (unit_ready_from(), &["SEARCH r USING PRIMARY KEY (queue=? AND lane=?)"]),
        (
            intent_types(),
            &[
                "SEARCH outbox_log USING COVERING INDEX IX_OUTBOX_AGG",
                "SEARCH l USING COVERING INDEX IX_OUTBOX_AGG (aggregate_type>?)",
            ],
        ),
        (
            ready_jobs(),
            &["SEARCH r USING COVERING INDEX ix_outbox_ready_job (job_id=? AND job_last>?)"],
        ),
    ] {
        let plan = plan(&connection, &sql.text);
        for step in steps {
            assert!(plan.iter().any(|found| found == step), "{}: {plan:?}", sql.name);
        }
    }
}

fn plan(connection: &Connection, text: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
    let count = statement.parameter_count();
    let nulls = std::iter::repeat_n(rusqlite::types::Null, count);
    let rows = statement.query_map(rusqlite::params_from_iter(nulls), |row| row.get(3));
    rows.unwrap().map(Result::unwrap).collect()
}
