//! Where a source goes on: stored with the messages, so that the two cannot disagree.

/// The next offset of a partition, as the inbox knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceOffset {
    /// The consumer group.
    pub group: String,
    /// The topic, in full.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// The broker's id of the topic, where it tells one: a topic made anew has another.
    pub topic_id: Option<[u8; 16]>,
    /// The first offset that is not stored yet.
    pub next_offset: i64,
}
