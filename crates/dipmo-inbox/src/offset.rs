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

/// A run of records of one partition, to be stored with their messages.
///
/// It says where it begins, because the database may be another one by now: after a failover to a
/// standby that was behind, what was stored before this range is not there (trap 9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    /// The offset that was next before it: everything below was stored by an earlier call.
    pub from: i64,
    /// Where the partition goes on after it.
    pub to: SourceOffset,
}

impl SourceRange {
    /// Whether a database that has this of the partition has everything before the range. Topic ids
    /// are compared where both are known.
    #[must_use]
    pub fn goes_on_from(&self, stored: Option<&SourceOffset>) -> bool {
        stored.is_some_and(|stored| {
            let ids = stored.topic_id.zip(self.to.topic_id);
            stored.next_offset >= self.from && ids.is_none_or(|(stored, given)| stored == given)
        })
    }

    /// Says what a database has instead of what this range goes on from.
    #[must_use]
    pub fn refusal(&self, stored: Option<&SourceOffset>) -> String {
        let Self { from, to: SourceOffset { topic, partition, topic_id, .. } } = self;
        let there = match stored {
            None => "nothing".to_owned(),
            Some(stored) if stored.topic_id != *topic_id && stored.next_offset >= *from => {
                "another topic of this name".to_owned()
            }
            Some(stored) => stored.next_offset.to_string(),
        };
        format!("{topic}[{partition}]: {from} was next, the database has {there}")
    }
}
