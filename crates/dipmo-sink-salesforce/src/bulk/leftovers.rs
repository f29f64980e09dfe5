//! Jobs at Salesforce that nobody needs any more, and that may still be open there.
//!
//! Such a job can do nothing: only who has its id stored closes it. But it counts among the open jobs of
//! the org until Salesforce removes it after a week, so that it is aborted when there is a chance.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::call::{self, Run, Trouble};

/// So many are remembered; then the oldest is forgotten.
const REMEMBERED: usize = 64;

/// So often an abort is tried, one chance after another.
const TRIES: u8 = 5;

/// The jobs of an object that were left open. Only in memory: what an instance that died knew of is
/// left to Salesforce.
#[derive(Debug, Default)]
pub(crate) struct Leftovers(Mutex<VecDeque<Leftover>>);

#[derive(Debug)]
struct Leftover {
    remote: String,
    tried: u8,
}

impl Leftovers {
    /// A job is needed no more.
    pub(super) fn add(&self, remote: &str) {
        self.put(Leftover { remote: remote.to_owned(), tried: 0 });
    }

    /// Aborts what was left open, up to the first that cannot be now. An abort takes nothing of the
    /// allowance of jobs, so that it passes while other calls do.
    pub(super) async fn sweep(&self, run: &Run<'_>) {
        while let Some(mut leftover) = self.take() {
            let aborted = run.call_beside_jobs(run.org.client.bulk().abort(&leftover.remote)).await;
            let trouble = match aborted {
                Ok(_) => continue,
                // It has ended in some other way, or nothing is left of it.
                Err(Trouble::Failed(error)) if call::is_gone(&error) || call::is_over(&error) => {
                    continue;
                }
                Err(trouble) => trouble,
            };
            leftover.tried += u8::from(matches!(trouble, Trouble::Failed(_)));
            let job = &*leftover.remote;
            if leftover.tried >= TRIES {
                tracing::warn!(job, ?trouble, "an open job was left behind at Salesforce");
            } else {
                tracing::debug!(job, ?trouble, "an open job is aborted later");
                self.put(leftover);
            }
            return;
        }
    }

    fn take(&self) -> Option<Leftover> {
        self.lock().pop_front()
    }

    fn put(&self, leftover: Leftover) {
        let mut left = self.lock();
        if left.len() >= REMEMBERED {
            left.pop_front();
        }
        left.push_back(leftover);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Leftover>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn their_number_is_bounded() {
        let leftovers = Leftovers::default();
        for job in 0..1_000 {
            leftovers.add(&format!("job {job}"));
        }
        let left = leftovers.lock();
        assert_eq!(left.len(), REMEMBERED);
        assert_eq!(left.back().map(|leftover| &*leftover.remote), Some("job 999"));
    }
}
