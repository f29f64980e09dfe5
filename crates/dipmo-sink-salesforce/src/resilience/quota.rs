//! The daily allowance of calls, and who can be asked about it.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::Failure;
use serde::Serialize;
use tokio::time::Instant;

use super::{Held, How, QuotaOptions};

/// An allowance of an org.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Family {
    /// `DailyApiRequests`: every call, those of Bulk jobs too.
    Api,
    /// What Bulk jobs alone use up.
    Bulk,
}

impl Family {
    /// For people and figures.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Bulk => "bulk",
        }
    }
}

/// An allowance as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Quota {
    /// In 24 hours.
    pub max: u64,
    /// Of those, so many are left.
    pub remaining: u64,
}

impl Quota {
    /// Whether more than a share of it is left. What has no maximum is not known, and no reason to
    /// pause.
    pub(super) fn has_more_than(self, share: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "numbers of calls a day fit a double")]
        let (max, remaining) = (self.max as f64, self.remaining as f64);
        self.max == 0 || remaining > share * max
    }
}

/// Who knows about an org's allowances: its client, or a function of a test.
#[async_trait]
pub(crate) trait QuotaSource: Send + Sync {
    /// What the org's last answers said of [`Family::Api`]; asks nobody.
    fn usage(&self) -> Option<Quota>;

    /// Asks the org; this is a call.
    async fn probe(&self, family: Family) -> Result<Quota, ProbeFailed>;
}

/// The org did not tell.
#[derive(Clone, Debug)]
pub(crate) struct ProbeFailed {
    /// What that says about the org.
    pub(crate) how: How,
    /// For people.
    pub(crate) why: Failure,
}

/// An org that is left alone until there is something left of an allowance.
#[derive(Debug)]
pub(super) struct QuotaPause {
    /// Tells it apart from one that was ended, for who still waits to end that.
    pub(super) serial: u64,
    pub(super) why: Failure,
    /// When the org is asked next.
    pub(super) probe_at: Instant,
    /// How long it waited for that.
    wait: Duration,
}

impl QuotaPause {
    pub(super) fn new(serial: u64, why: Failure, now: Instant, wait: Duration) -> Self {
        Self { serial, why, probe_at: now + wait, wait }
    }

    /// The org cannot be asked now: later, but not less often for that.
    pub(super) fn put_off(&mut self, after: Option<Duration>, now: Instant) {
        self.probe_at = now + after.unwrap_or(self.wait);
    }

    /// The answer was no: it is asked again after twice the time.
    pub(super) fn again(&mut self, options: &QuotaOptions, now: Instant) {
        self.wait = (self.wait * 2).min(options.probe_longest.max(options.probe_first));
        self.probe_at = now + self.wait;
    }

    pub(super) fn held(&self, now: Instant) -> Held {
        Held::new(self.why.clone(), Some(self.probe_at.saturating_duration_since(now)))
    }
}
