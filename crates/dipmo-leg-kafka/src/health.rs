//! How a leg is.

use dipmo_kafka::Problem;

/// How a leg is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// What is wrong now; empty when all is well.
    pub problems: Vec<Problem>,
    /// Partitions that are read by this instance, retry topics included.
    pub partitions: usize,
    /// Whether the group has it, with partitions or without.
    pub joined: bool,
    /// Partitions of retry topics that wait until their next record is due.
    pub waiting: usize,
}

impl Health {
    /// True when nothing is wrong. That something waits until it is due is no problem.
    #[must_use]
    pub const fn is_well(&self) -> bool {
        self.problems.is_empty()
    }
}
