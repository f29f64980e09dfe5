//! A destination of jobs whose mapping got children, which no row of a job can have.
//!
//! It takes nothing, and a person is told so. But a deployment may have left jobs behind, each of which holds
//! its lanes: they are gone on with first, and let their units go. Whoever finds units that are in no job has
//! found no more such jobs. Some of them may have been in the hands of an instance that died, so that
//! they are looked for again now and then.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dipmo_outbox::JobPlan;
use tokio::time::Instant;

use super::BulkOptions;

/// After so long jobs of before are looked for again.
const AGAIN: Duration = Duration::from_secs(600);

/// When it was last found that only units in no job are left.
#[derive(Debug, Default)]
pub(crate) struct Unfit(Mutex<Option<Instant>>);

impl Unfit {
    /// There is a unit in no job.
    pub(crate) fn found(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether there was one lately, so that nothing is to be done.
    pub(crate) fn lately(&self) -> bool {
        let found = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.is_some_and(|found| found.elapsed() < AGAIN)
    }
}

/// Jobs are taken over, and none is begun.
pub(crate) fn plan(options: &BulkOptions) -> JobPlan {
    JobPlan { least: u32::MAX, enough: u32::MAX, gather: Duration::ZERO, ..options.plan() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn jobs_of_before_are_looked_for_now_and_then() {
        let unfit = Unfit::default();
        assert!(!unfit.lately());
        unfit.found();
        assert!(unfit.lately());
        tokio::time::advance(AGAIN).await;
        assert!(!unfit.lately());
    }
}
