//! The inbox worker: claims batches, lets the processes decide, and starts over.
//!
//! ```text
//!  worker ── process_batch(limits, Batch) ──► store: lock lanes, read
//!                     Batch::claimed ◄──────── messages
//!                     Batch::needs   ────────► states, facts, blocks       ┐ once a
//!                     Batch::decide  ◄──────── what was found              │ wave
//!                     Changes        ────────► writes, intents, settlements┘
//!                                              commit
//! ```

mod batch;
mod decide;
mod forward;
mod instances;
mod item;
mod pace;
mod passed_over;
mod pool;
mod rules;
mod search;
mod tally;
mod trial;
mod waves;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Code, Failure, InboxId, Lane, StoreError};
use dipmo_store::{BatchReport, ClaimLimits, Store};
use futures_util::FutureExt as _;
use tokio_util::sync::CancellationToken;

use crate::bell::Bell;
use crate::metrics::Metrics;
use crate::panics;
use batch::Batch;
use pace::Pace;
pub(crate) use pool::Pool;
pub(crate) use rules::Rules;
use tally::SharedTally;
pub(crate) use tally::Tally;
use trial::Trial;

/// One worker: any number of them, in any number of instances, share the inbox.
pub(crate) struct Worker {
    store: Arc<dyn Store>,
    rules: Arc<Rules>,
    metrics: Arc<Metrics>,
    random: fastrand::Rng,
    pace: Pace,
    /// Messages that the database refused, until the batch that fails them is committed.
    convicted: Arc<HashMap<InboxId, Failure>>,
}

/// How a batch went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// There was nothing to do.
    Idle,
    /// Something was done; `full` when there is likely more than one worker can do.
    Worked { full: bool },
}

/// Why a batch was taken back.
enum Trouble {
    Store(StoreError),
    /// A transactional handler panicked.
    Panicked(Failure),
}

impl Worker {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        rules: Arc<Rules>,
        metrics: Arc<Metrics>,
        batch: u32,
        mut random: fastrand::Rng,
    ) -> Self {
        let start = Lane::of(&random.u64(..).to_le_bytes());
        let pace = Pace::new(batch, start);
        Self { store, rules, metrics, random, pace, convicted: Arc::default() }
    }

    /// Works until it is told to stop, or has had nothing to do for `idle`.
    pub(crate) async fn run(
        &mut self,
        bell: &mut Bell,
        idle: Option<Duration>,
        stop: &CancellationToken,
        mut on_full: impl FnMut(),
    ) {
        let mut quiet_since = tokio::time::Instant::now();
        while !stop.is_cancelled() {
            bell.heard();
            match self.once().await {
                Ok(Round::Worked { full }) => {
                    quiet_since = tokio::time::Instant::now();
                    if full {
                        on_full();
                    }
                    // A store that never waits would keep everybody else on this thread waiting.
                    tokio::task::yield_now().await;
                }
                Ok(Round::Idle) if idle.is_some_and(|idle| quiet_since.elapsed() > idle) => return,
                Ok(Round::Idle) => {
                    self.metrics.pulse().answered();
                    bell.wait(stop).await;
                }
                Err(error) => {
                    self.metrics.store_failed("process_batch", &error);
                    bell.rest(&error, stop).await;
                }
            }
        }
    }

    /// One batch.
    pub(crate) async fn once(&mut self) -> Result<Round, StoreError> {
        let limits = self.pace.limits();
        let trial = Trial::plain(&self.convicted);
        let (result, tally) = self.attempt(limits, trial).await;
        match result {
            Ok(report) if report.lanes.is_empty() => Ok(Round::Idle),
            Ok(report) => {
                self.convicted = Arc::default();
                self.metrics.batch(&tally, report.intents);
                Ok(Round::Worked { full: self.pace.learn(&report) })
            }
            Err(trouble) => {
                let failure = match trouble {
                    Trouble::Store(error) if error.is_refusal() => (&error).into(),
                    Trouble::Panicked(failure) => failure,
                    Trouble::Store(error) => return Err(error),
                };
                if tally.lanes.len() > 1 {
                    self.pace.narrow();
                } else {
                    self.convict(limits, &tally.ids, &failure).await?;
                }
                Ok(Round::Worked { full: false })
            }
        }
    }

    /// Runs a batch; the tally says what was claimed even when it was taken back.
    async fn attempt(
        &mut self,
        limits: ClaimLimits,
        trial: Trial,
    ) -> (Result<BatchReport, Trouble>, Tally) {
        let tally = SharedTally::default();
        let random = self.random.fork();
        let batch = Batch::new(Arc::clone(&self.rules), trial, tally.clone(), random);
        let work = AssertUnwindSafe(self.store.process_batch(limits, Box::new(batch)));
        let result = match work.catch_unwind().await {
            Ok(Ok((report, _))) => Ok(report),
            Ok(Err(error)) => Err(Trouble::Store(error)),
            Err(panic) => {
                let failure = panics::failure(Code::new("handler-panicked"), &*panic);
                Err(Trouble::Panicked(failure))
            }
        };
        (result, tally.take())
    }
}
