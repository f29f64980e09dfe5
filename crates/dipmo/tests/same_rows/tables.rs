//! The rows of a SQLite file, as text.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::types::Value;

/// Waits until nothing is left that could be processed now.
pub(crate) async fn until_quiet(file: &Path) {
    let connection = Connection::open(file).unwrap();
    let claimable = "select (select count(*) from inbox_ready) + (select count(*) from inbox_exception \
                     where next_attempt_at is not null and status <> 'RECEIVED')";
    for _ in 0..600 {
        let left: i64 = connection.query_row(claimable, [], |row| row.get(0)).unwrap();
        if left == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it does not come to rest");
}

/// Every row of the views and tables that a user sees, without times.
pub(crate) fn dump(file: &Path) -> Vec<String> {
    let connection = Connection::open(file).unwrap();
    let mut rows = Vec::new();
    for (table, order) in [
        ("HIT_PROCESS", "ID"),
        ("HITS", "HIT_ID"),
        ("REVIEWS", "HIT_ID"),
        ("INBOX", "MESSAGE_ID"),
        ("OUTBOX", "AGGREGATE_ID, EVENT_TYPE, DESTINATION, PAYLOAD"),
    ] {
        let mut select =
            connection.prepare(&format!("select * from {table} order by {order}")).unwrap();
        let names: Vec<String> = select.column_names().map(str::to_owned).collect();
        let mut found = select.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let cells = names.iter().enumerate().filter(|(_, name)| is_compared(name));
            let cells: Vec<String> = cells
                .map(|(at, name)| format!("{name}={:?}", row.get::<_, Value>(at).unwrap()))
                .collect();
            rows.push(format!("{table} {}", cells.join(" ")));
        }
    }
    rows
}

/// Times differ from run to run, and so do numbers that are given as rows come.
fn is_compared(column: &str) -> bool {
    let name = column.to_uppercase();
    !name.ends_with("_AT") && !name.ends_with("_TS") && name != "ID" && !name.contains("UNTIL")
}
