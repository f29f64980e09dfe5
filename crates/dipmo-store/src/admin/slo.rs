//! What was promised, and how often it was kept: counted hour by hour, by all instances together.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{StoreError, Timestamp};

/// Nothing is promised over a longer time: the hours before it are forgotten.
pub const LONGEST_WINDOW: Duration = Duration::from_secs(90 * 24 * 3_600);

/// What can be promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// What is delivered is delivered so long after its message was received, or earlier.
    Latency {
        /// How long.
        within: Duration,
    },
    /// What is to be delivered is, and not refused.
    Delivered,
    /// A message ends, and does not fail.
    Processed,
}

impl Objective {
    /// What it is counted as. Whoever promises another time begins to count anew: what was counted by the time
    /// before says nothing of it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Latency { within } => format!("latency {}ms", within.as_millis()),
            Self::Delivered => "delivered".to_owned(),
            Self::Processed => "processed".to_owned(),
        }
    }
}

/// How often a promise was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SloCount {
    /// The name of the objective.
    pub name: String,
    /// How often it was kept.
    pub good: u64,
    /// Of so many.
    pub total: u64,
}

/// What was counted in one hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SloHour {
    /// When the hour began.
    pub hour: Timestamp,
    /// What was counted.
    pub count: SloCount,
}

/// How often promises were kept. There are as many rows as hours and objectives, whatever goes through.
#[async_trait]
pub trait Slo: Send + Sync {
    /// Adds to the current hour, by the database's clock.
    ///
    /// # Errors
    /// When nothing was added, as far as anybody knows.
    async fn add_slo(&self, counts: &[SloCount]) -> Result<(), StoreError>;

    /// What was counted, the oldest first: all hours that end behind `since`.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn slo_hours(&self, since: Timestamp) -> Result<Vec<SloHour>, StoreError>;

    /// Forgets hours that began before a time.
    ///
    /// # Errors
    /// When nothing was changed.
    async fn forget_slo(&self, before: Timestamp) -> Result<u64, StoreError>;
}
