//! What is used of the limits of the org.

use std::time::Duration;

use jiff::Timestamp;

use crate::refusal::Refusal;
use crate::schema::Limits;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What is used of the limits of the org.
#[derive(Debug)]
pub(crate) struct LimitsState {
    requests: Counter,
    batches: Counter,
}

/// What was used since the window began. Salesforce's window rolls; this one starts anew a day
/// after its first use, which a client cannot tell apart without waiting for a day.
#[derive(Debug)]
struct Counter {
    max: u64,
    used: u64,
    since: Timestamp,
}

/// Of one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) max: u64,
    pub(crate) used: u64,
}

impl Usage {
    pub(crate) fn remaining(self) -> u64 {
        self.max.saturating_sub(self.used)
    }
}

impl LimitsState {
    pub(crate) fn new(limits: &Limits, now: Timestamp) -> Self {
        LimitsState {
            requests: Counter { max: limits.daily_requests, used: 0, since: now },
            batches: Counter { max: limits.bulk_batches, used: 0, since: now },
        }
    }

    /// Counts one call, or refuses it because the day's calls are spent.
    pub(crate) fn spend_request(&mut self, now: Timestamp) -> Result<(), Refusal> {
        if self.requests.spend(1, now) { Ok(()) } else { Err(total_requests_exceeded()) }
    }

    /// Counts batches of a bulk job; `false` if they are spent.
    pub(crate) fn spend_batches(&mut self, batches: u64, now: Timestamp) -> bool {
        self.batches.spend(batches, now)
    }

    pub(crate) fn requests(&self) -> Usage {
        self.requests.usage()
    }

    pub(crate) fn batches(&self) -> Usage {
        self.batches.usage()
    }

    /// Leaves so many calls for the rest of the day.
    pub(crate) fn leave_requests(&mut self, remaining: u64) {
        self.requests.leave(remaining);
    }

    /// Leaves so many batches for the rest of the day.
    pub(crate) fn leave_batches(&mut self, remaining: u64) {
        self.batches.leave(remaining);
    }
}

impl Counter {
    fn spend(&mut self, amount: u64, now: Timestamp) -> bool {
        if now.duration_since(self.since).unsigned_abs() >= DAY {
            *self = Counter { max: self.max, used: 0, since: now };
        }
        let fits = self.used.saturating_add(amount) <= self.max;
        if fits {
            self.used += amount;
        }
        fits
    }

    fn leave(&mut self, remaining: u64) {
        self.used = self.max.saturating_sub(remaining);
    }

    fn usage(&self) -> Usage {
        Usage { max: self.max, used: self.used }
    }
}

/// The day's calls are spent.
pub(crate) fn total_requests_exceeded() -> Refusal {
    Refusal::new("REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded.").with_status(403)
}

/// Too many long calls at once. Only the words tell it from the other.
pub(crate) fn concurrent_requests_exceeded() -> Refusal {
    Refusal::new("REQUEST_LIMIT_EXCEEDED", "ConcurrentPerOrgLongTxn Limit exceeded.")
        .with_status(403)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    fn state(text: &str) -> LimitsState {
        LimitsState::new(&Schema::parse(text).unwrap().limits, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn the_calls_of_a_day_run_out_and_come_back() {
        let mut state = state("limits: {daily_requests: 2}");
        let now = Timestamp::UNIX_EPOCH;
        assert!(state.spend_request(now).is_ok() && state.spend_request(now).is_ok());
        let refusal = state.spend_request(now).unwrap_err();
        assert_eq!(
            (refusal.status, refusal.message.as_str()),
            (403, "TotalRequests Limit exceeded.")
        );
        assert_eq!(state.requests(), Usage { max: 2, used: 2 });
        assert!(state.spend_request(now + DAY).is_ok());
        assert_eq!(state.requests().remaining(), 1);
    }

    #[test]
    fn a_test_can_leave_little() {
        let mut state = state("{}");
        state.leave_batches(1);
        assert!(state.spend_batches(1, Timestamp::UNIX_EPOCH));
        assert!(!state.spend_batches(1, Timestamp::UNIX_EPOCH));
    }
}
