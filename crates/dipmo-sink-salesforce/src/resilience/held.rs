//! Why a call is not made.

use std::time::Duration;

use dipmo_domain::{Code, Failure};
use dipmo_outbox::Readiness;

/// No wait is shorter: who is told to come back at once would come back again and again.
const SHORTEST: Duration = Duration::from_millis(100);

/// No turn within the time that a call may wait for one.
pub(super) const RATE_LIMITED: Code = Code::new("salesforce-rate-limited");
/// No room within the time that a call may wait for it.
pub(super) const BULKHEAD_FULL: Code = Code::new("salesforce-bulkhead-full");
/// The breaker is open.
pub(super) const BREAKER_OPEN: Code = Code::new("salesforce-breaker-open");
/// What is left of the allowance is for others.
pub(super) const QUOTA_RESERVED: Code = Code::new("salesforce-quota-reserved");
/// A person wants it so.
pub(super) const PAUSED: Code = Code::new("salesforce-paused");
/// A person wants it so.
pub(super) const STOPPED: Code = Code::new("salesforce-stopped");

/// A call that may not be made: nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// For people.
    pub(crate) why: Failure,
    /// When to try again; `None` waits for a person.
    pub(crate) after: Option<Duration>,
}

impl Held {
    pub(super) fn new(why: Failure, after: Option<Duration>) -> Self {
        Self { why, after: after.map(|after| after.max(SHORTEST)) }
    }
}

impl From<Held> for Readiness {
    fn from(held: Held) -> Self {
        match held.after {
            Some(after) => Self::Later { after, why: held.why },
            None => Self::Stopped { why: held.why },
        }
    }
}
