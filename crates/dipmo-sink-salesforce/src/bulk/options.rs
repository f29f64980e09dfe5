//! What jobs can be told.

use std::time::Duration;

use dipmo_outbox::JobPlan;

/// Options of Bulk API 2.0 jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkOptions {
    /// A job is begun when at least so many units wait; fewer go out in calls, which is faster and
    /// cheaper for them. Defaults to 2,000.
    pub least: u32,
    /// About so many units are in a job at most. Defaults to 200,000.
    pub most: u32,
    /// So many of the 64 lanes a job takes at most. Defaults to 32, so that two jobs of an object
    /// can run at once.
    pub lanes: u8,
    /// So long a job waits for more units before it is sealed. Defaults to 1 s.
    pub gather: Duration,
    /// With so many units it waits for no more. Defaults to 10,000, which Salesforce works off at once.
    pub enough: u32,
    /// So many units are read, hydrated and settled together. Defaults to 2,000.
    pub page: u32,
    /// The largest CSV of a job in bytes, before it is packed. What does not fit is left to the next
    /// job. Defaults to 100,000,000: Salesforce takes 150 MB as base64, which is a third more than
    /// what is sent.
    pub most_bytes: u64,
    /// How long after its upload a job is asked about for the first time. Defaults to 1 s.
    pub first_poll: Duration,
    /// The waits between questions grow to this. Defaults to 30 s.
    pub longest_poll: Duration,
    /// Whether a job that was read to its end is deleted at Salesforce, which is one more call for each.
    /// Salesforce deletes it by itself after seven days. Defaults to false.
    pub delete: bool,
}

impl Default for BulkOptions {
    fn default() -> Self {
        Self {
            least: 2_000,
            most: 200_000,
            lanes: 32,
            gather: Duration::from_secs(1),
            enough: 10_000,
            page: 2_000,
            most_bytes: 100_000_000,
            first_poll: Duration::from_secs(1),
            longest_poll: Duration::from_secs(30),
            delete: false,
        }
    }
}

impl BulkOptions {
    /// What the dispatcher is to know of them.
    pub(crate) fn plan(&self) -> JobPlan {
        JobPlan {
            least: self.least,
            most: self.most,
            lanes: self.lanes,
            gather: self.gather,
            enough: self.enough,
        }
    }
}
