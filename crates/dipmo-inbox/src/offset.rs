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
    /// What tells the topic from one that was made anew under its name: the broker's id of it, or a
    /// number that the source counts up when it notices.
    pub topic_id: Option<[u8; 16]>,
    /// The first offset that is not stored yet.
    pub next_offset: i64,
}
