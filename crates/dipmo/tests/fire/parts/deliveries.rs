//! What a journal says, and what must hold of it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::sent::Sent;

/// A delivery as it was written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// One call of one publisher.
    pub(crate) slice: String,
    pub(crate) aggregate: String,
    pub(crate) n: i64,
    /// The idempotency key.
    pub(crate) id: String,
}

pub(crate) fn read(file: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(file).unwrap();
    let line = |line: &str| {
        let parts: Vec<&str> = line.split(' ').collect();
        let [slice, aggregate, n, id] = parts[..] else { panic!("half a line: {line:?}") };
        let [slice, aggregate, id] = [slice, aggregate, id].map(str::to_owned);
        Line { slice, aggregate, n: n.parse().unwrap(), id }
    };
    text.lines().map(line).collect()
}

/// What was delivered of one aggregate so far.
#[derive(Default)]
struct Delivered {
    newest: i64,
    /// What is older has been acknowledged.
    oldest_open: i64,
    slices: Vec<String>,
    last: i64,
}

/// Checks what can be promised of deliveries:
///
/// - none is missing, and none comes for the first time before the one before it;
/// - a delivery is repeated under the same idempotency key, and no other has that key;
/// - when an aggregate begins to be delivered anew, all before that place has been acknowledged
///   by a settlement, and does not come again: neither from whoever settled it, nor from a slice
///   that was begun earlier.
pub(crate) fn check(lines: &[Line], sent: &Sent) {
    let mut ids: HashMap<&str, (&str, i64)> = HashMap::new();
    let mut names: HashMap<(&str, i64), &str> = HashMap::new();
    let mut all: BTreeMap<String, Delivered> = BTreeMap::new();
    for line in lines {
        let Line { slice, aggregate, n, id } = line;
        assert_eq!(*ids.entry(id).or_insert((aggregate, *n)), (aggregate.as_str(), *n), "{line:?}");
        assert_eq!(*names.entry((aggregate, *n)).or_insert(id), id, "{line:?}");
        let one = all.entry(aggregate.clone()).or_default();
        if one.slices.last() == Some(slice) {
            assert_eq!(*n, one.last + 1, "within a slice nothing is left out: {line:?}");
        } else {
            assert!(!one.slices.contains(slice), "a slice that was over goes on: {line:?}");
            assert!(*n >= one.oldest_open, "it was acknowledged before: {line:?}");
            one.slices.push(slice.clone());
            one.oldest_open = *n;
        }
        assert!(*n <= one.newest + 1, "the one before it is missing: {line:?}");
        one.newest = one.newest.max(*n);
        one.last = *n;
    }
    let delivered: BTreeMap<_, _> = all.into_iter().map(|(key, one)| (key, one.newest)).collect();
    assert_eq!(delivered, sent.telling("KAFKA:"), "deliveries are missing");
}
