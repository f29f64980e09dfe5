//! What a journal says, and what must hold of it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::engine::{LOOSE, STRICT};
use super::sent::Sent;

/// A delivery as it was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// One call of one publisher.
    pub(crate) slice: String,
    pub(crate) destination: String,
    pub(crate) aggregate: String,
    pub(crate) n: i64,
    /// The idempotency key.
    pub(crate) id: String,
}

pub(crate) fn read(file: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(file).unwrap();
    let line = |line: &str| {
        let parts: Vec<&str> = line.split(' ').collect();
        let [slice, destination, aggregate, n, id] = parts[..] else {
            panic!("half a line: {line:?}")
        };
        let [slice, destination] = [slice, destination].map(str::to_owned);
        let [aggregate, id] = [aggregate, id].map(str::to_owned);
        Line { slice, destination, aggregate, n: n.parse().unwrap(), id }
    };
    text.lines().map(line).collect()
}

/// Checks what can be promised of deliveries to a destination, whoever stood still or lost its lease
/// and whether or not its publisher keeps order:
///
/// - none is missing, and none comes for the first time before the one before it;
/// - a delivery is repeated under the same idempotency key, and no other has that key.
pub(crate) fn check_first(lines: &[Line], destination: &str, sent: &Sent) {
    let mut ids: HashMap<&str, (&str, i64)> = HashMap::new();
    let mut names: HashMap<(&str, i64), &str> = HashMap::new();
    let mut newest: BTreeMap<String, i64> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.destination == destination) {
        let Line { aggregate, n, id, .. } = line;
        assert_eq!(*ids.entry(id).or_insert((aggregate, *n)), (aggregate.as_str(), *n), "{line:?}");
        assert_eq!(*names.entry((aggregate, *n)).or_insert(id), id, "{line:?}");
        let newest = newest.entry(aggregate.clone()).or_default();
        assert!(*n <= *newest + 1, "the one before it is missing: {line:?}");
        *newest = (*newest).max(*n);
    }
    assert_eq!(newest, sent.telling(destination), "deliveries are missing");
}

/// What was delivered of one aggregate last.
#[derive(Default)]
struct Last<'a> {
    n: i64,
    /// What is older has been acknowledged.
    oldest_open: i64,
    slices: Vec<&'a str>,
}

/// Checks in addition what can be promised while nobody outlives its lease, of a publisher that keeps
/// order and so gets all of a read in one slice: when an aggregate begins to be delivered anew, all before that place has been acknowledged by a settlement, and
/// does not come again, neither from whoever settled it nor from a slice that was begun earlier.
pub(crate) fn check(lines: &[Line], destination: &str, sent: &Sent) {
    check_first(lines, destination, sent);
    let mut all: HashMap<&str, Last<'_>> = HashMap::new();
    for line in lines.iter().filter(|line| line.destination == destination) {
        let Line { slice, aggregate, n, .. } = line;
        let last = all.entry(aggregate).or_default();
        if last.slices.last() == Some(&slice.as_str()) {
            assert_eq!(*n, last.n + 1, "within a slice nothing is left out: {line:?}");
        } else {
            assert!(!last.slices.contains(&slice.as_str()), "a slice goes on too late: {line:?}");
            assert!(*n >= last.oldest_open, "it was acknowledged before: {line:?}");
            last.slices.push(slice);
            last.oldest_open = *n;
        }
        last.n = *n;
    }
}

/// Checks the two destinations of the load.
pub(crate) fn check_both(lines: &[Line], sent: &Sent) {
    check(lines, STRICT, sent);
    check_first(lines, LOOSE, sent);
}
