//! The books at the end: what the database says about every message.

use std::collections::BTreeMap;

use super::engine::ECHO;
use super::numbers::Count;
use super::place::Place;
use super::sent::Sent;
use super::step::Step;

/// Waits until all messages and intents have ended, failed, or are held behind one that failed.
pub(crate) async fn until_drained(place: &Place) {
    let open = "select 'message', count(*) from inbox_ready having count(*) > 0 \
        union all select 'message again', count(*) from inbox_exception \
            where status = 'RETRY' or (status = 'RECEIVED' and not held) having count(*) > 0 \
        union all select 'unit', count(*) from outbox_ready having count(*) > 0 \
        union all select 'unit again', count(*) from outbox_exception \
            where status = 'PENDING' having count(*) > 0 \
        union all select 'timer', count(*) from process_timer having count(*) > 0";
    place.look().await.until_none("open", open).await;
}

/// Checks the books: every step was taken once and in order by the first process and by the second,
/// every timer rang once, and nothing is left. What could not be decoded is not in these books.
pub(crate) async fn check(place: &Place, sent: &Sent) {
    let numbers = sent.all().map(|(aggregate, steps)| (aggregate.clone(), counted(steps)));
    assert_eq!(counts(place, "NUMBERS_PROCESS").await, numbers.collect());
    let heard = sent.telling(ECHO);
    let echo = heard.iter().map(|(key, last)| (key.clone(), Count::up_to(*last)));
    assert_eq!(counts(place, "ECHO_PROCESS").await, echo.collect());

    let steps = || sent.all().flat_map(|(_, steps)| steps);
    let rings = steps().filter(|step| step.ring.is_some()).count();
    let heard = usize::try_from(heard.values().sum::<i64>()).unwrap();
    let messages = steps().count() + heard + rings;
    let units: usize = steps().map(|step| step.tell.len()).sum();
    let look = place.look().await;
    let once = |ended| format!("select count(*), count(distinct ID) from ({ended}) ended");
    let twice_the = |number: usize| [[number.to_string(), number.to_string()]];
    let understood = "select count(*) from inbox_log \
        where ID not in (select ID from inbox_exception where STATUS = 'SERDE_ERROR')";
    assert_eq!(look.number(understood).await, messages);
    assert_eq!(look.rows(&once(look.ended_messages())).await, twice_the(messages), "each once");
    let otherwise =
        format!("select * from ({}) ended where OUTCOME <> 'DONE'", look.ended_messages());
    assert!(look.rows(&otherwise).await.is_empty());
    assert_eq!(look.number("select count(*) from outbox_log").await, units);
    assert_eq!(look.rows(&once(look.ended_units())).await, twice_the(units), "each once");
    assert_eq!(look.number("select count(*) from STEPS").await, steps().count());
    assert_eq!(look.number("select count(*) from inbox_incident").await, 0);
}

fn counted(steps: &[Step]) -> Count {
    let rings = steps.iter().filter(|step| step.ring.is_some());
    let rang = rings.map(|step| step.n).collect();
    Count { rang, ..Count::up_to(steps[steps.len() - 1].n) }
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
