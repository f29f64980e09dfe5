//! A courier: leases lanes of one destination, reads, sends, settles, until nothing is left.
//!
//! One with room takes more lanes, so that no lane waits for the next turn while there is little to
//! do; one that is full gives what it took beyond its share to others.
//!
//! No transaction is open while something is sent. A lease outlives the deadline of a send, so that
//! whoever takes a lane over knows that nothing of the last holder is on the wire any more; a
//! settlement under a lost lease writes nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dipmo_domain::StoreError;
use dipmo_outbox::{
    Ending, Job, JobPlan, Lease, Owner, Publisher, Readiness, UnitResult, UnitSettlement,
};
use dipmo_store::admin::Steered;
use dipmo_store::{LeaseParams, LeasedJob, ReadParams};
use tokio::time::{Instant, sleep};

use super::appetite::{Appetite, Payloads};
use super::desk::Desk;
use super::hand::Hand;
use super::services::Service;
use crate::options::DispatchOptions;
use crate::steering::Steering;

/// Delivers lanes of one destination, one read or one job at a time.
pub(super) struct Courier {
    pub(super) desk: Desk,
    pub(super) service: Service,
    pub(super) owner: Owner,
    /// As the engine has them; what the publisher says about its deadline is worked in each time
    /// that lanes are leased.
    pub(super) options: DispatchOptions,
    /// When it stops.
    pub(super) ending: Ending,
    pub(super) random: fastrand::Rng,
    /// How many runs of jobs failed in a row.
    pub(super) setbacks: u32,
    /// True while it waits for more to put into a job.
    pub(super) gathers: Arc<AtomicBool>,
    pub(super) steering: Steering,
}

/// How often a courier with room asks for more lanes, and how soon one is sent out again after one
/// that found none.
pub(super) const ASK_AGAIN: Duration = Duration::from_millis(25);

impl Courier {
    /// Delivers until nothing is left, somebody else has it, the destination takes nothing more or is
    /// paused, or it is told to stop. Answers whether it had anything to deliver at all.
    pub(super) async fn run(mut self) -> Result<bool, StoreError> {
        let mut had_lanes = false;
        let given = self.options.clone();
        let most = given.units.unwrap_or_else(|| self.service.slice_size(&self.desk.destination));
        let mut appetite = Appetite::new(most);
        while self.goes_on() {
            self.options = given.for_deadline(self.service.deadline(&self.desk.destination));
            let plan = self.service.job_plan(&self.desk.destination);
            let asked = Instant::now();
            let (job, leases) = self.take(plan, had_lanes).await?;
            if leases.is_empty() {
                break;
            }
            had_lanes = true;
            let mut hand = Hand::new(leases, asked);
            let result = match self.job(&mut hand, job, plan).await {
                Ok(None) => self.turn(&mut hand, &mut appetite).await,
                Ok(Some((publisher, job))) => self.carry(&*publisher, job, &mut hand).await,
                Err(error) => Err(error),
            };
            if matches!(result, Err(StoreError::Fenced { .. })) {
                self.desk.metrics.destination(&self.desk.destination, |it| it.fenced += 1);
            }
            // What cannot be given back runs out by itself.
            let back = self.desk.store.give_back(&self.owner, &hand.leases).await;
            result.and(back)?;
        }
        Ok(had_lanes)
    }

    /// True while the destination takes anything.
    pub(super) fn is_ready(&self) -> bool {
        self.service.readiness(&self.desk.destination) == Readiness::Ready
    }

    /// True while an operator holds the destination back.
    pub(super) fn is_paused(&self) -> bool {
        let name = || self.desk.destination.to_string();
        self.steering.paused_as(Steered::Destination, name).is_some()
    }

    /// True while anything is to be sent.
    pub(super) fn goes_on(&self) -> bool {
        !self.ending.is_begun() && !self.is_paused() && self.is_ready()
    }

    /// Waits, unless the engine stops.
    pub(super) async fn pause(&self, time: Duration) {
        tokio::select! {
            biased;
            () = self.ending.begun() => {}
            () = sleep(time) => {}
        }
    }

    /// A job with its lanes, or lanes; none when all that is to be delivered is somebody's.
    async fn take(
        &self,
        plan: Option<JobPlan>,
        had_lanes: bool,
    ) -> Result<(Option<Job>, Vec<Lease>), StoreError> {
        if plan.is_some()
            && let Some(LeasedJob { job, leases }) = self.take_job().await?
        {
            return Ok((Some(job), leases));
        }
        let leases = self.lease(plan.map_or(self.options.lanes, |plan| plan.lanes.max(1))).await?;
        let in_vain = leases.is_empty() && !had_lanes && plan.is_none();
        if in_vain
            && self.service.publisher().is_some()
            && let Some(LeasedJob { job, leases }) = self.take_job().await?
        {
            // From when there was a plan for jobs.
            return Ok((Some(job), leases));
        }
        Ok((None, leases))
    }

    pub(super) async fn lease(&self, lanes: u8) -> Result<Vec<Lease>, StoreError> {
        let params = LeaseParams {
            owner: self.owner.clone(),
            destination: self.desk.destination.clone(),
            lanes,
            duration: self.options.lease,
        };
        self.desk.store.lease(&params).await
    }

    /// The job to go on with, if there is to be one, and who knows how.
    async fn job(
        &self,
        hand: &mut Hand,
        taken: Option<Job>,
        plan: Option<JobPlan>,
    ) -> Result<Option<(Arc<dyn Publisher>, Job)>, StoreError> {
        let job = match (taken, plan) {
            (None, Some(plan)) => self.begin(hand, plan).await?,
            (taken, _) => taken,
        };
        Ok(self.service.publisher().map(Arc::clone).zip(job))
    }

    /// Delivers what the leased lanes have, for as long as a turn.
    async fn turn(&mut self, hand: &mut Hand, appetite: &mut Appetite) -> Result<(), StoreError> {
        let began = Instant::now();
        while self.goes_on() && began.elapsed() < self.options.turn {
            self.keep(hand).await?;
            let units = appetite.units();
            let params = ReadParams { leases: &hand.leases, in_flight: &[], units };
            let deliveries = self.desk.store.read(params).await?;
            let full = deliveries.len() >= units as usize;
            if deliveries.is_empty() {
                if self.take_more(hand).await? {
                    continue;
                }
                break;
            }
            if !self.goes_on() {
                // Reading has changed nothing.
                break;
            }
            hand.served(&deliveries.iter().map(|delivery| delivery.lane).collect());
            let (payloads, sent) = (Payloads::of(&deliveries), Instant::now());
            let units = self.deliver(deliveries, hand).await;
            appetite.had(payloads, sent.elapsed());
            let settled = self.settle(&units, hand).await;
            if settled.is_err() && units.iter().any(is_unanswered) {
                // It may be on the wire, and nobody knows: the lanes are nobody's before their leases
                // have run out.
                hand.leases.clear();
            }
            settled?;
            if full {
                self.give_surplus_back(hand).await?;
            } else if hand.asked.elapsed() >= ASK_AGAIN {
                self.take_more(hand).await?;
            }
            if nothing_went_out(&units) {
                // What was not tried is due at once: without a rest this would go in circles.
                self.pause(self.options.poll).await;
            }
        }
        Ok(())
    }

    /// Takes more lanes that have something to deliver; false when there are none.
    async fn take_more(&self, hand: &mut Hand) -> Result<bool, StoreError> {
        hand.asked = Instant::now();
        let more = self.lease(self.options.lanes).await?;
        let some = !more.is_empty();
        hand.add(more);
        Ok(some)
    }

    /// Gives back what a courier with enough to do has beyond its share: those that were served.
    async fn give_surplus_back(&self, hand: &mut Hand) -> Result<(), StoreError> {
        let surplus = hand.surplus(self.options.lanes.into());
        if surplus.is_empty() {
            return Ok(());
        }
        let back = self.desk.store.give_back(&self.owner, &surplus).await;
        if back.is_err() {
            // They are given back with the rest.
            hand.add(surplus);
        }
        back
    }

    /// Renews the leases in good time; lanes that are lost are forgotten.
    async fn keep(&self, hand: &mut Hand) -> Result<(), StoreError> {
        if hand.since.elapsed() < self.options.lease / 3 {
            return Ok(());
        }
        let since = Instant::now();
        let lease = self.options.lease;
        let renewed = self.desk.store.renew(&self.owner, &hand.leases, lease).await?;
        *hand = Hand { leases: renewed, since, ..*hand };
        Ok(())
    }
}

const fn is_unanswered(unit: &UnitSettlement) -> bool {
    matches!(unit.result, UnitResult::Unanswered { .. })
}

/// True when the destination is not there at all: something was put back, and nothing was sent.
fn nothing_went_out(units: &[UnitSettlement]) -> bool {
    units.iter().any(|unit| unit.result == UnitResult::Later)
        && units.iter().all(|it| matches!(it.result, UnitResult::Later | UnitResult::Held))
}
