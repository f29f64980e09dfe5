//! How long to wait before the next question about a job, or the next attempt at it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dipmo_outbox::JobId;

use super::BulkOptions;

/// How often each job was left waiting since it last came a step further.
///
/// Only in memory: who takes a job over begins with short waits again, and that is all that is lost.
#[derive(Debug, Default)]
pub(crate) struct Jobs(Mutex<Waits>);

#[derive(Debug, Default)]
struct Waits {
    of: HashMap<JobId, u32>,
    chance: fastrand::Rng,
}

/// How many jobs are remembered. Those that somebody else went on with are never told to be over.
const REMEMBERED: usize = 1_024;

impl Jobs {
    /// The next wait of a job: from the first to the longest, half as much more each time.
    pub(super) fn next_wait(&self, job: JobId, options: &BulkOptions) -> Duration {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waits.of.len() >= REMEMBERED && !waits.of.contains_key(&job) {
            waits.of.clear();
        }
        let waited = waits.of.entry(job).or_default();
        let wait = grown(options, *waited);
        *waited = waited.saturating_add(1);
        jittered(wait, waits.chance.f64())
    }

    /// It came a step further, or to its end.
    pub(super) fn moved(&self, job: JobId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).of.remove(&job);
    }
}

fn grown(options: &BulkOptions, waited: u32) -> Duration {
    let exponent = i32::try_from(waited.min(64)).unwrap_or_default();
    let seconds = options.first_poll.as_secs_f64() * 1.5_f64.powi(exponent);
    Duration::from_secs_f64(seconds.min(options.longest_poll.as_secs_f64()))
}

/// Up to a fifth less, so that jobs that began together are not asked about together.
fn jittered(wait: Duration, chance: f64) -> Duration {
    wait.mul_f64(1.0 - 0.2 * chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_longest_and_begin_anew_after_a_step() {
        let options = BulkOptions::default();
        let jobs = Jobs::default();
        let job = JobId(1);
        let waits: Vec<Duration> = (0..80).map(|_| jobs.next_wait(job, &options)).collect();
        assert!(waits[0] <= options.first_poll && waits[0] >= options.first_poll.mul_f64(0.8));
        assert!(waits[8] > waits[0] * 10, "{waits:?}");
        assert!(waits.iter().all(|wait| *wait <= options.longest_poll));
        assert!(waits[79] >= options.longest_poll.mul_f64(0.8));
        assert!(jobs.next_wait(JobId(2), &options) <= options.first_poll, "another job");
        jobs.moved(job);
        assert!(jobs.next_wait(job, &options) <= options.first_poll);
    }

    #[test]
    fn jobs_that_went_elsewhere_are_forgotten_in_the_end() {
        let jobs = Jobs::default();
        for job in 0..5_000 {
            jobs.next_wait(JobId(job), &BulkOptions::default());
        }
        assert!(jobs.0.lock().unwrap().of.len() <= REMEMBERED);
    }
}
