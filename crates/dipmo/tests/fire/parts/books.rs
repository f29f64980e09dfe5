//! The books at the end: what the database says about every message.

use std::collections::BTreeMap;

use super::load::Load;
use super::numbers::Count;
use super::place::Place;

/// Waits until all messages and intents have ended, failed, or are held behind one that failed.
pub(crate) async fn until_drained(place: &Place) {
    let open = "select 'message', count(*) from inbox_ready having count(*) > 0 \
        union all select 'message again', count(*) from inbox_exception \
            where status = 'RETRY' or (status = 'RECEIVED' and not held) having count(*) > 0 \
        union all select 'unit', count(*) from outbox_ready having count(*) > 0 \
        union all select 'unit again', count(*) from outbox_exception \
            where status = 'PENDING' having count(*) > 0 \
        union all select 'timer', count(*) from process_timer having count(*) > 0";
    place.until_none("open", open).await;
}

/// Checks the books after a load: every step was taken once and in order by the first process and
/// by the second, every timer rang once, and nothing is left.
pub(crate) async fn check(place: &Place, steps: &BTreeMap<String, i64>) {
    let expected = |rings: bool| {
        steps.iter().filter(|(_, last)| **last > 0).map(move |(aggregate, last)| {
            let rang = if rings { Load::timers(*last) } else { vec![] };
            (aggregate.clone(), Count { last: *last, rang, ..Count::default() })
        })
    };
    assert_eq!(counts(place, "NUMBERS_PROCESS").await, expected(true).collect());
    assert_eq!(counts(place, "ECHO_PROCESS").await, expected(false).collect());
    let sent: i64 = steps.values().sum();
    let rings: usize = steps.values().map(|last| Load::timers(*last).len()).sum();
    let messages = 2 * usize::try_from(sent).unwrap() + rings;
    let ended = "select STATUS, OUTCOME, count(*) from INBOX group by STATUS, OUTCOME";
    let all_done = ["PROCESSED".to_owned(), "DONE".to_owned(), messages.to_string()];
    assert_eq!(place.rows(ended).await, [all_done]);
    let units = "select STATUS, count(*) from OUTBOX group by STATUS";
    assert_eq!(place.rows(units).await, [["DISPATCHED".to_owned(), (2 * sent).to_string()]]);
    assert_eq!(place.rows("select count(*) from STEPS").await, [[sent.to_string()]]);
    assert_eq!(place.rows("select count(*) from inbox_incident").await, [["0"]]);
}

/// What the instances of a process remember.
pub(crate) async fn counts(place: &Place, table: &str) -> BTreeMap<String, Count> {
    let rows = place.rows(&format!("select ID, CONTEXT from {table}")).await;
    let count = |row: &Vec<String>| {
        let mut count: Count = serde_json::from_str(&row[1]).unwrap();
        // Timers have no order among each other.
        count.rang.sort_unstable();
        (row[0].clone(), count)
    };
    rows.iter().map(count).collect()
}
