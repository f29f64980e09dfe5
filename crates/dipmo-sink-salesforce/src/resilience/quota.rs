//! The daily allowance of calls, and who can be asked about it.

use async_trait::async_trait;
use dipmo_domain::Failure;

use super::How;

/// An allowance of an org.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Family {
    /// `DailyApiRequests`: every call, those of Bulk jobs too.
    Api,
    /// What Bulk jobs alone use up.
    Bulk,
}

/// An allowance as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    /// In a day.
    pub(crate) max: u64,
    /// Of those, so many are left.
    pub(crate) remaining: u64,
}

/// Who knows about an org's allowances: its client, or a function of a test.
#[async_trait]
pub(crate) trait QuotaSource: Send + Sync {
    /// What the last answers of the org said; asks nobody.
    fn usage(&self) -> Option<Quota>;

    /// Asks the org; this is a call.
    async fn probe(&self, family: Family) -> Result<Quota, ProbeFailed>;
}

/// The org could not be asked.
#[derive(Clone, Debug)]
pub(crate) struct ProbeFailed {
    /// What that says about the org.
    pub(crate) how: How,
    /// For people.
    pub(crate) why: Failure,
}
