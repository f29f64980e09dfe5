//! The port of destinations: who takes deliveries and says what became of each.

use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Destination, Failure, StoreError};

use crate::{Delivery, Ending, JobPhase, JobPlan, JobStep, JobWork};

/// How many deliveries a slice has where the publisher does not say.
pub const SLICE_SIZE: u32 = 500;

/// How long a job waits that another publisher has begun.
const NOT_OURS: Duration = Duration::from_secs(60);

/// Delivers to destinations of one kind.
///
/// The dispatcher gives it a slice and a deadline, settles by what it answers, and keeps everything
/// else away from it: leases, retries, order, shutdown. A crash between the answer and the
/// settlement, or an answer that never came, means that the same unit is given out again: a
/// destination that can tell should be told [`Delivery::idempotency_key`].
#[async_trait]
pub trait Publisher: Send + Sync {
    /// Delivers, and answers for each delivery in its place.
    ///
    /// Dropped when its time is up; what was given to it then counts as not delivered for now.
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published>;

    /// The same, for one that makes several calls for a slice or waits long for one; this is what the
    /// dispatcher asks for. Once the end has [begun](Ending::begun) no further call is made, and
    /// what is left of the slice was not tried. When it is [due](Ending::due), it answers in a moment:
    /// what is still on the wire is [unanswered](Published::Unanswered). Whoever does not is dropped
    /// then, and all of its slice is sent again, also what was answered.
    async fn publish_until(&self, deliveries: &[Delivery], _ending: &Ending) -> Vec<Published> {
        self.publish(deliveries).await
    }

    /// True for a publisher that keeps the order of deliveries with the same order key within a
    /// slice, as a Kafka producer does, and that delivers nothing behind one that it could not
    /// deliver. Any other gets each order key once in a slice.
    fn keeps_order(&self) -> bool {
        false
    }

    /// How many deliveries make a good slice, when so many wait: more where they share a call, fewer
    /// where each is one. Slices grow to it while they are quick; large payloads make them
    /// shorter whatever this says.
    fn slice_size(&self, _destination: &Destination) -> u32 {
        SLICE_SIZE
    }

    /// How long a slice may take, where the options of the dispatcher are not to decide it. The
    /// leases of its lanes are made long enough to outlive it.
    fn deadline(&self, _destination: &Destination) -> Option<Duration> {
        None
    }

    /// Whether a destination takes anything now. One that does not is not read at all, so that
    /// nothing is tried, counted or written for as long as that lasts.
    fn readiness(&self, _destination: &Destination) -> Readiness {
        Readiness::Ready
    }

    /// What jobs of a destination are like; `None` where everything goes out in slices.
    fn job_plan(&self, _destination: &Destination) -> Option<JobPlan> {
        None
    }

    /// Goes on with a job from the phase that it is in, as far as it gets now. Called again after a
    /// wait and after a crash, by whoever takes the job over, and may be dropped at any await: what
    /// has been done must be known from the job's phase and from the destination. Once the end
    /// [has begun](JobWork::ending) it goes no further than it must.
    ///
    /// # Errors
    /// When the database failed or the job is somebody else's; it is tried again, or left.
    async fn run_job(&self, job: &dyn JobWork) -> Result<JobStep, StoreError> {
        // What the destination knows of already may be applied yet: only who made it can tell.
        if job.job().phase != JobPhase::Sealed {
            return Ok(JobStep::Wait(NOT_OURS));
        }
        job.release(None).await?;
        Ok(JobStep::Ended)
    }
}

/// Whether a destination takes anything now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It does.
    Ready,
    /// It is left alone for a while: ask again after so long.
    Later {
        /// When to ask again.
        after: Duration,
        /// Why, for people.
        why: Failure,
    },
    /// It needs a person.
    Stopped {
        /// Why, and what to do.
        why: Failure,
    },
}

/// What became of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Published {
    /// The destination acknowledged it, under this id of its own where it told one.
    Delivered {
        /// Such as a Salesforce record id.
        external_ref: Option<String>,
    },
    /// It was tried and may work later.
    Retry {
        /// Why.
        failure: Failure,
        /// What the destination said about when; the policy decides where it said nothing.
        after: Option<Duration>,
    },
    /// The engine ended before there was an answer: it may have arrived, and may yet arrive. It is sent
    /// again, and no attempt is counted: whoever stops an engine must not make anything fail.
    Unanswered {
        /// Why.
        failure: Failure,
        /// As long as it may be on the wire: it is not sent again before.
        after: Duration,
    },
    /// It was not tried: the destination is not there, or something before it was not delivered.
    NotTried,
    /// The destination refused it for good.
    Refused(Failure),
}

impl Published {
    /// Delivered, without an id of the destination's own.
    #[must_use]
    pub const fn delivered() -> Self {
        Self::Delivered { external_ref: None }
    }
}

impl Delivery {
    /// The same for every attempt at this unit, and for no other unit of this database.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        format!("dipmo-{}", self.unit.0)
    }
}
