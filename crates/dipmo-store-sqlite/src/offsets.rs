//! Next offsets of sources: where partitions begin, and how far a batch brings them.

use dipmo_domain::StoreError;
use dipmo_inbox::{SourceOffset, SourceRange};

use crate::sql;
use crate::tx::Tx;

/// Stores where a partition begins.
pub(crate) fn begin(tx: &Tx<'_>, offset: &SourceOffset) -> Result<(), StoreError> {
    let SourceOffset { group, topic, partition, topic_id, next_offset } = offset;
    let params = (group, topic, partition, topic_id, next_offset, tx.now().as_micros());
    tx.run(&sql::offset_begin(), params).map(drop)
}

/// Moves a partition on, or refuses because the database has lost what is before the range.
pub(crate) fn advance(tx: &Tx<'_>, range: &SourceRange) -> Result<(), StoreError> {
    let SourceOffset { group, topic, partition, topic_id, next_offset } = &range.to;
    let now = tx.now().as_micros();
    let params = (group, topic, partition, topic_id, range.from, next_offset, now);
    if tx.run(&sql::offset_move(), params)? == 1 {
        return Ok(());
    }
    let known = list(tx, group)?;
    let stored = known.iter().find(|known| known.topic == *topic && known.partition == *partition);
    Err(StoreError::OffsetBehind { what: range.refusal(stored) })
}

/// The next offsets of a consumer group.
pub(crate) fn list(tx: &Tx<'_>, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
    tx.all(&sql::offset_list(), [group], |row| {
        Ok(SourceOffset {
            group: row.get(0)?,
            topic: row.get(1)?,
            partition: row.get(2)?,
            topic_id: row.get(3)?,
            next_offset: row.get(4)?,
        })
    })
}
