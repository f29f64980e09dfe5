//! A partition as a value: what offsets, lags and pauses are told by.

/// A partition of a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
}

impl Place {
    /// A partition, by its topic and number.
    #[must_use]
    pub fn new(topic: &str, partition: i32) -> Self {
        Self { topic: topic.to_owned(), partition }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.topic, self.partition)
    }
}
