//! Next offsets of sources: where partitions begin, and how far a batch brings them.

use dipmo_domain::StoreError;
use dipmo_inbox::{SourceOffset, SourceRange};

use crate::database::Map;

/// Group, topic and partition.
pub(crate) type OffsetKey = (String, String, i32);

/// Where a partition goes on.
#[derive(Clone, Copy)]
pub(crate) struct OffsetRow {
    topic_id: Option<[u8; 16]>,
    next_offset: i64,
}

/// Stores where a partition begins: forward only, unless its topic was made anew.
pub(crate) fn begin(offsets: &mut Map<OffsetKey, OffsetRow>, given: &SourceOffset) {
    let key = (given.group.clone(), given.topic.clone(), given.partition);
    let row = match offsets.get(&key) {
        Some(stored) if !made_anew(stored.topic_id, given.topic_id) => OffsetRow {
            topic_id: given.topic_id.or(stored.topic_id),
            next_offset: stored.next_offset.max(given.next_offset),
        },
        _ => OffsetRow { topic_id: given.topic_id, next_offset: given.next_offset },
    };
    offsets.insert_mut(key, row);
}

/// Moves a partition on, or refuses because what is before the range is not there.
pub(crate) fn advance(
    offsets: &mut Map<OffsetKey, OffsetRow>,
    range: &SourceRange,
) -> Result<(), StoreError> {
    let to = &range.to;
    let key = (to.group.clone(), to.topic.clone(), to.partition);
    let stored = offsets.get(&key).map(|row| shown(&key, *row));
    let Some(row) = stored.as_ref().filter(|stored| range.goes_on_from(Some(stored))) else {
        return Err(StoreError::OffsetBehind { what: range.refusal(stored.as_ref()) });
    };
    let topic_id = row.topic_id.or(to.topic_id);
    let next_offset = row.next_offset.max(to.next_offset);
    offsets.insert_mut(key, OffsetRow { topic_id, next_offset });
    Ok(())
}

/// Those of a group, sorted by topic and partition.
pub(crate) fn of_group(offsets: &Map<OffsetKey, OffsetRow>, group: &str) -> Vec<SourceOffset> {
    let of_group = offsets.iter().filter(|((of, _, _), _)| of == group);
    of_group.map(|(key, row)| shown(key, *row)).collect()
}

fn shown((group, topic, partition): &OffsetKey, row: OffsetRow) -> SourceOffset {
    SourceOffset {
        group: group.clone(),
        topic: topic.clone(),
        partition: *partition,
        topic_id: row.topic_id,
        next_offset: row.next_offset,
    }
}

fn made_anew(stored: Option<[u8; 16]>, given: Option<[u8; 16]>) -> bool {
    matches!((stored, given), (Some(stored), Some(given)) if stored != given)
}
