//! What else a message can come to: staying, parking, a retry, a rejection.

use dipmo_domain::Coded;

use super::scenario::Scenario;
use super::show;
use super::world::Met;
use crate::{ErasedOutcome, Process, Stay};

impl<P: Process> Scenario<P> {
    /// The instance stayed as it was, for this reason.
    #[track_caller]
    pub fn then_stays(self, why: Stay) -> Self {
        let as_expected = matches!(self.met(), Met::Decided(ErasedOutcome::Stay(w)) if *w == why);
        self.expect(as_expected, &format!("to stay: {why:?}"))
    }

    /// The message waits for an earlier version.
    #[track_caller]
    pub fn then_parked(self, until_version: i64) -> Self {
        let as_expected = matches!(self.met(), Met::Decided(ErasedOutcome::Park(park))
            if park.until_version == until_version);
        self.expect(as_expected, &format!("to be parked until version {until_version}"))
    }

    /// The message is to be tried again, for a failure of this code.
    #[track_caller]
    pub fn then_retried(self, code: &str) -> Self {
        let as_expected = matches!(self.met(), Met::Decided(ErasedOutcome::Retry(failure))
            if failure.code() == code);
        self.expect(as_expected, &format!("a retry for {code}"))
    }

    /// The message failed with this code, by the process or by dipmo itself.
    #[track_caller]
    pub fn then_rejected(self, code: &str) -> Self {
        let found = match self.met() {
            Met::Decided(ErasedOutcome::Reject(failure)) => Some(failure.code()),
            Met::Refused(refusal) => Some(refusal.code().as_str()),
            Met::Ignored | Met::Decided(_) => None,
        };
        let as_expected = found == Some(code);
        self.expect(as_expected, &format!("to be rejected with {code}"))
    }

    /// Nobody reads such an event.
    #[track_caller]
    pub fn then_ignored(self) -> Self {
        let as_expected = matches!(self.met(), Met::Ignored);
        self.expect(as_expected, "to be ignored")
    }

    /// Nothing is to be written beside the process row itself.
    #[track_caller]
    pub fn then_nothing(self) -> Self {
        let found = match self.met() {
            Met::Decided(ErasedOutcome::Advance(advanced)) => {
                [show::intents(advanced), show::writes(advanced), show::timers(advanced)].concat()
            }
            Met::Decided(_) | Met::Ignored | Met::Refused(_) => Vec::new(),
        };
        self.same("effects, writes and timers", &Vec::<String>::new(), &found)
    }
}
