//! Every statement is used, and none reads a large table from end to end.

use super::*;
use std::collections::BTreeSet;

use rusqlite::Connection;

fn all() -> Vec<Sql> {
    [PLAIN.to_vec(), shared(), of_process("\"HIT_PROCESS\"")].concat()
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
    // Reports read the newest rows backwards, and stop.
    let newest = ["inbox_rows", "outbox_rows"];
    for sql in all().iter().filter(|sql| !newest.contains(&sql.name)) {
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

fn plan(connection: &Connection, text: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
    let count = statement.parameter_count();
    let nulls = std::iter::repeat_n(rusqlite::types::Null, count);
    let rows = statement.query_map(rusqlite::params_from_iter(nulls), |row| row.get(3));
    rows.unwrap().map(Result::unwrap).collect()
}
