//! Exactly once: a transaction of Kafka is a job of the outbox.
//!
//! ```text
//!  Sealed ──a slot, its name is stored──► Made ──records, marker──► Given ──commit──► answers ──► Ended
//!                                          │                         │
//!                                          └── found so: the slot is taken over, which ends what was
//!                                              open in it; Given: the marker tells whether it counts
//! ```
//!
//! A **slot** is a producer of transactions under a name of its own. The **marker** is an offset that
//! is part of the transaction: the group named like the slot commits the id of the job. So whoever
//! finds a job that was given takes the slot over, which the broker lets nobody else commit in from
//! then on, and asks for the marker: it is there just when the records are.
//!
//! **Invariants:** the name of the slot is stored before anything is sent, and the job is given before
//! the transaction is committed. A slot serves the next job only when every unit of the last one is
//! answered for, so that the marker is always that of the job which is asked about. After anything
//! unclear the slot is given up; its name lives on in the job.

mod load;
mod marker;
mod refusals;
mod run;
mod sending;
mod slot;
mod slots;

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Destination, StoreError};
use dipmo_outbox::{JobPhase, JobPlan, JobStep, JobWork, Readiness};

use crate::metrics::Metrics;
use crate::options::KafkaSinkOptions;
use load::Sizes;
use refusals::Refusals;
use run::Run;
use slots::Slots;

/// What a transaction has at most: enough that committing it costs little for each record, and few
/// enough that whoever waits for it does not wait long.
const MOST: u32 = 5_000;

/// So many of the 64 lanes are in a job: four couriers have one each.
const LANES: u8 = 16;

/// What is shared by all transactions of a publisher.
pub(crate) struct Once {
    options: KafkaSinkOptions,
    metrics: Arc<Metrics>,
    slots: Slots,
    sizes: Sizes,
    refusals: Refusals,
}

impl Once {
    pub(crate) fn new(options: KafkaSinkOptions, metrics: Arc<Metrics>) -> Self {
        let slots = Slots::new(options.clone(), Arc::clone(&metrics));
        Self { options, metrics, slots, sizes: Sizes::default(), refusals: Refusals::default() }
    }

    /// Everything goes out in jobs, and none waits for more: what comes while one is on its way is
    /// in the next.
    pub(crate) fn plan(&self) -> Option<JobPlan> {
        let (least, gather) = (1, Duration::ZERO);
        let plan = JobPlan { least, most: MOST, lanes: LANES, gather, enough: MOST };
        self.options.exactly_once.then_some(plan)
    }

    /// Whether the cluster takes transactions.
    pub(crate) fn readiness(&self, destination: &Destination) -> Readiness {
        if !self.options.exactly_once {
            return Readiness::Ready;
        }
        self.refusals.readiness(destination)
    }

    /// Goes on with a job from the phase that it is in, as far as it gets now.
    pub(crate) async fn run(&self, work: &dyn JobWork) -> Result<JobStep, StoreError> {
        // From when there were transactions: what was begun is ended as one.
        if !self.options.exactly_once && work.job().phase == JobPhase::Sealed {
            work.release(None).await?;
            return Ok(JobStep::Ended);
        }
        Run::new(self, work).go_on().await
    }
}
