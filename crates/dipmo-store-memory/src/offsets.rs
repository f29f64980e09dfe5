//! Next offsets of sources: they never move back, unless their topic was made anew.

use dipmo_inbox::SourceOffset;

use crate::database::Map;

/// Group, topic and partition.
pub(crate) type OffsetKey = (String, String, i32);

/// Where a partition goes on.
#[derive(Clone, Copy)]
pub(crate) struct OffsetRow {
    topic_id: Option<[u8; 16]>,
    next_offset: i64,
}

pub(crate) fn store_offset(offsets: &mut Map<OffsetKey, OffsetRow>, given: &SourceOffset) {
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

/// Those of a group, sorted by topic and partition.
pub(crate) fn offsets_of(offsets: &Map<OffsetKey, OffsetRow>, group: &str) -> Vec<SourceOffset> {
    let of_group = offsets.iter().filter(|((of, _, _), _)| of == group);
    of_group
        .map(|((group, topic, partition), row)| SourceOffset {
            group: group.clone(),
            topic: topic.clone(),
            partition: *partition,
            topic_id: row.topic_id,
            next_offset: row.next_offset,
        })
        .collect()
}

fn made_anew(stored: Option<[u8; 16]>, given: Option<[u8; 16]>) -> bool {
    matches!((stored, given), (Some(stored), Some(given)) if stored != given)
}
