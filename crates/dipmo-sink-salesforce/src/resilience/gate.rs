//! What every call goes through.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dipmo_domain::Failure;
use dipmo_outbox::Readiness;

/// The way to an object of an org, for REST or for Bulk.
#[derive(Debug)]
pub(crate) struct Gate {
    standing: Mutex<Readiness>,
    time_limit: Duration,
}

/// A call that may be made now. To be kept until it has ended.
#[derive(Debug)]
#[must_use = "a pass that is dropped counts as a call that failed"]
pub(crate) struct Pass(());

/// How a call ended, as far as the destination's health goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It was answered, also when the answer was about rows that were refused.
    Ok,
    /// No answer, or one that says that the destination is not well: counts for the breaker.
    Failed,
    /// The destination is well and refused: wrong data, wrong login, no allowance.
    Refused,
    /// Too many calls at once: the room is halved, the breaker does not count it.
    Crowded,
}

/// A call that may not be made: nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// For people.
    pub(crate) why: Failure,
    /// When to try again; `None` waits for a person.
    pub(crate) after: Option<Duration>,
}

impl Gate {
    pub(crate) fn new(time_limit: Duration) -> Self {
        Self { standing: Mutex::new(Readiness::Ready), time_limit }
    }

    /// Waits for room and for a turn.
    pub(crate) async fn enter(&self) -> Result<Pass, Held> {
        match self.readiness() {
            Readiness::Ready => Ok(Pass(())),
            Readiness::Later { after, why } => Err(Held { why, after: Some(after) }),
            Readiness::Stopped { why } => Err(Held { why, after: None }),
        }
    }

    /// Whether a call would have a chance now.
    pub(crate) fn readiness(&self) -> Readiness {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How long a call may take.
    pub(crate) fn time_limit(&self) -> Duration {
        self.time_limit
    }

    /// An allowance is used up: the org is left alone until its quota source says otherwise, asked
    /// first after so long.
    pub(crate) fn pause(&self, why: Failure, probe_after: Duration) {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) =
            Readiness::Later { after: probe_after, why };
    }

    /// The destination said when it will be back: nothing enters before.
    pub(crate) fn back_off(&self, why: Failure, after: Duration) {
        self.pause(why, after);
    }

    /// The object is misconfigured: a person has to look at it.
    pub(crate) fn stop(&self, why: Failure) {
        *self.standing.lock().unwrap_or_else(PoisonError::into_inner) = Readiness::Stopped { why };
    }

    /// The org is misconfigured, such as its login: a person has to look at it.
    pub(crate) fn stop_org(&self, why: Failure) {
        self.stop(why);
    }
}

impl Pass {
    /// Tells how the call ended.
    pub(crate) fn ended(self, _how: How) {}
}
