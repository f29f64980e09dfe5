//! What every call goes through.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::Failure;
use dipmo_outbox::Readiness;
use tokio::time::Instant;

use super::level::Level;
use super::org::Org;
use super::quota::Family;
use super::{Held, Pass, pass};

/// Salesforce's code for the allowance of all calls, also of those about jobs.
const ALL_CALLS: &str = "REQUEST_LIMIT_EXCEEDED";

/// The way to an object of an org, for single calls or for jobs. The levels of the object and the
/// org both must let a call pass; all gates to the same share them.
#[derive(Debug)]
pub(crate) struct Gate {
    org: Arc<Org>,
    object: Arc<Level>,
    /// The allowances that calls use up, the narrowest last.
    families: &'static [Family],
}

impl Gate {
    pub(super) fn for_calls(org: Arc<Org>, object: &str) -> Self {
        Self { object: org.object(object), org, families: &[Family::Api] }
    }

    pub(super) fn for_jobs(org: Arc<Org>, object: &str) -> Self {
        Self { object: org.object(object), org, families: &[Family::Api, Family::Bulk] }
    }

    /// Waits for room and for a turn. Whoever is held is told why and for how long, and has sent
    /// nothing; whoever is dropped while it waits leaves no trace.
    pub(crate) async fn enter(&self) -> Result<Pass, Held> {
        self.org.watch_usage();
        let pass = pass::enter(&[&self.object, &self.org.level], self.families).await?;
        Ok(pass.of(&self.org))
    }

    /// Whether a call would have a chance now: of all that holds it, what holds it longest.
    pub(crate) fn readiness(&self) -> Readiness {
        self.org.watch_usage();
        let now = Instant::now();
        let held = [&self.object, &self.org.level]
            .into_iter()
            .filter_map(|level| level.check_with_turns(self.families, now).err())
            .max_by_key(|held| held.after.unwrap_or(Duration::MAX));
        held.map_or(Readiness::Ready, Readiness::from)
    }

    /// How long a call may take.
    pub(crate) fn time_limit(&self) -> Duration {
        self.object.lock().time_limit.min(self.org.level.lock().time_limit)
    }

    /// An allowance is used up: the org is left alone until it says that there is something left,
    /// asked first after so long, and then less and less often.
    pub(crate) fn pause(&self, why: Failure, probe_after: Duration) {
        let narrowest = self.families.last().copied().unwrap_or(Family::Api);
        let family = if why.code() == ALL_CALLS { Family::Api } else { narrowest };
        self.org.pause(family, why, probe_after);
    }

    /// Salesforce said when it will be back: nothing enters the org before, an hour at most.
    pub(crate) fn back_off(&self, why: Failure, after: Duration) {
        self.org.back_off(why, after);
    }

    /// The object is misconfigured: a person has to look at it. Its neighbours go on.
    pub(crate) fn stop(&self, why: Failure) {
        self.object.stop(why, self.org.restart_after());
    }

    /// The org is misconfigured, such as its login: a person has to look at it.
    pub(crate) fn stop_org(&self, why: Failure) {
        self.org.level.stop(why, self.org.restart_after());
    }
}
