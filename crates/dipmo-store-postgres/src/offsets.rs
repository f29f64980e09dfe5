//! Next offsets of sources: where partitions begin, and how far a batch brings them.
//!
//! A statement may touch a row only once, so what a call says about a partition is made one first.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use dipmo_domain::StoreError;
use dipmo_inbox::{SourceOffset, SourceRange};

use crate::sql::{self, Call, Param, params};
use crate::types::PgUuid;

/// Group, topic and partition.
type Key<'a> = (&'a str, &'a str, i32);

/// Stores where partitions begin.
pub(crate) fn begin(offsets: &[SourceOffset]) -> Call {
    let mut last: BTreeMap<Key<'_>, &SourceOffset> = BTreeMap::new();
    for offset in offsets {
        last.entry(key(offset))
            .and_modify(|known| {
                if offset.topic_id != known.topic_id || offset.next_offset > known.next_offset {
                    *known = offset;
                }
            })
            .or_insert(offset);
    }
    let rows: Vec<&SourceOffset> = last.into_values().collect();
    let mut params = keys(&rows);
    params.extend(params![rows.iter().map(|o| o.next_offset).collect::<Vec<_>>()]);
    sql::offset_begin().with(params)
}

/// Moves partitions on, or refuses; `None` when there is nothing to move.
pub(crate) fn advance(ranges: &[SourceRange]) -> Result<Option<Call>, StoreError> {
    let ranges = joined(ranges)?;
    if ranges.is_empty() {
        return Ok(None);
    }
    let rows: Vec<&SourceOffset> = ranges.iter().map(|range| &range.to).collect();
    let mut params = keys(&rows);
    params.extend(params![
        ranges.iter().map(|range| range.from).collect::<Vec<_>>(),
        rows.iter().map(|to| to.next_offset).collect::<Vec<_>>(),
    ]);
    Ok(Some(sql::offset_move().with(params)))
}

/// One range for each partition, which asks of the database what all of them would ask one after
/// the other: a range that goes on from an earlier one asks nothing more.
fn joined(ranges: &[SourceRange]) -> Result<Vec<SourceRange>, StoreError> {
    let mut all: BTreeMap<Key<'_>, SourceRange> = BTreeMap::new();
    for range in ranges {
        let before = match all.entry(key(&range.to)) {
            Entry::Vacant(free) => {
                free.insert(range.clone());
                continue;
            }
            Entry::Occupied(before) => before.into_mut(),
        };
        let (known, given) = (before.to.topic_id, range.to.topic_id);
        if known.zip(given).is_some_and(|(known, given)| known != given) {
            return Err(StoreError::OffsetBehind { what: range.refusal(Some(&before.to)) });
        }
        before.to.topic_id = known.or(given);
        if range.from > before.to.next_offset {
            before.from = before.from.max(range.from);
        }
        before.to.next_offset = before.to.next_offset.max(range.to.next_offset);
    }
    Ok(all.into_values().collect())
}

fn key(offset: &SourceOffset) -> Key<'_> {
    (&offset.group, &offset.topic, offset.partition)
}

/// The parameters that both statements begin with.
fn keys(rows: &[&SourceOffset]) -> Vec<Param> {
    params![
        rows.iter().map(|o| o.group.clone()).collect::<Vec<_>>(),
        rows.iter().map(|o| o.topic.clone()).collect::<Vec<_>>(),
        rows.iter().map(|o| o.partition).collect::<Vec<_>>(),
        rows.iter().map(|o| o.topic_id.map(PgUuid)).collect::<Vec<_>>(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: i64, next_offset: i64) -> SourceRange {
        let (group, topic) = ("g".to_owned(), "t".to_owned());
        let to = SourceOffset { group, topic, partition: 0, topic_id: None, next_offset };
        SourceRange { from, to }
    }

    /// What a database that takes them one by one would do.
    fn one_by_one(ranges: &[SourceRange], stored: i64) -> Option<i64> {
        ranges.iter().try_fold(stored, |at, range| {
            (at >= range.from).then_some(at.max(range.to.next_offset))
        })
    }

    #[test]
    fn trap_9_joined_ranges_ask_what_they_would_ask_one_by_one() {
        let steps = [(5, 9), (9, 12), (11, 11), (14, 15), (2, 3), (0, 20)];
        for first in steps {
            for second in steps {
                for third in steps {
                    let ranges = [first, second, third].map(|(from, next)| range(from, next));
                    let joined = joined(&ranges).unwrap();
                    assert_eq!(joined.len(), 1);
                    for stored in 0..25 {
                        let expected = one_by_one(&ranges, stored);
                        assert_eq!(one_by_one(&joined, stored), expected, "{stored} {ranges:?}");
                    }
                }
            }
        }
    }
}
