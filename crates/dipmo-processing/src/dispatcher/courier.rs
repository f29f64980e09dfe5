//! A courier: leases lanes of one destination, reads, sends, settles, until nothing is left.
//!
//! One with room takes more lanes, so that no lane waits for the next turn while there is little to
//! do; one that is full gives what it took beyond its share to others.
//!
//! No transaction is open while something is sent. A lease outlives the deadline of a send, so that
//! whoever takes a lane over knows that nothing of the last holder is on the wire any more; a
//! settlement under a lost lease writes nothing.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Code, Destination, Failure, Lane, StoreError};
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Delivery, Lease, Owner, Published, Publisher, UnitResult, UnitSettlement};
use dipmo_store::{LeaseParams, ReadParams, Settle, Store};
use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::appetite::{Appetite, Payloads};
use super::hand::Hand;
use super::internal;
use super::rounds::Rounds;
use super::services::Service;
use crate::metrics::Metrics;
use crate::options::DispatchOptions;
use crate::panics;

/// Delivers lanes of one destination, one read at a time.
pub(super) struct Courier {
    pub(super) store: Arc<dyn Store>,
    pub(super) destination: Destination,
    pub(super) service: Service,
    pub(super) owner: Owner,
    pub(super) options: DispatchOptions,
    pub(super) metrics: Arc<Metrics>,
    pub(super) random: fastrand::Rng,
}

/// How often a courier with room asks for more lanes, and how soon one is sent out again after one
/// that found none.
pub(super) const ASK_AGAIN: Duration = Duration::from_millis(25);

impl Courier {
    /// Delivers until nothing is left, somebody else has it, or it is told to stop. Answers whether
    /// it had anything to deliver at all.
    pub(super) async fn run(mut self, stop: CancellationToken) -> Result<bool, StoreError> {
        let mut had_lanes = false;
        let most = self.options.units.unwrap_or_else(|| self.service.slice_size());
        let mut appetite = Appetite::new(most);
        while !stop.is_cancelled() {
            let asked = Instant::now();
            let leases = self.lease().await?;
            if leases.is_empty() {
                break;
            }
            had_lanes = true;
            let mut hand = Hand::new(leases, asked);
            let result = self.turn(&mut hand, &mut appetite, &stop).await;
            if matches!(result, Err(StoreError::Fenced { .. })) {
                self.metrics.destination(&self.destination, |figures| figures.fenced += 1);
            }
            // What cannot be given back runs out by itself.
            let back = self.store.give_back(&self.owner, &hand.leases).await;
            result.and(back)?;
        }
        Ok(had_lanes)
    }

    async fn lease(&self) -> Result<Vec<Lease>, StoreError> {
        let params = LeaseParams {
            owner: self.owner.clone(),
            destination: self.destination.clone(),
            lanes: self.options.lanes,
            duration: self.options.lease,
        };
        self.store.lease(&params).await
    }

    /// Delivers what the leased lanes have, for as long as a turn.
    async fn turn(
        &mut self,
        hand: &mut Hand,
        appetite: &mut Appetite,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let began = Instant::now();
        while !stop.is_cancelled() && began.elapsed() < self.options.turn {
            self.keep(hand).await?;
            let units = appetite.units();
            let params = ReadParams { leases: &hand.leases, in_flight: &[], units };
            let deliveries = self.store.read(params).await?;
            let full = deliveries.len() >= units as usize;
            if deliveries.is_empty() {
                if self.take_more(hand).await? {
                    continue;
                }
                break;
            }
            hand.served(&deliveries.iter().map(|delivery| delivery.lane).collect());
            let (payloads, sent) = (Payloads::of(&deliveries), Instant::now());
            let units = self.deliver(deliveries, hand).await;
            appetite.had(payloads, sent.elapsed());
            self.settle(&units, hand).await?;
            if full {
                self.give_surplus_back(hand).await?;
            } else if hand.asked.elapsed() >= ASK_AGAIN {
                self.take_more(hand).await?;
            }
            if nothing_went_out(&units) {
                // What was not tried is due at once: without a rest this would go in circles.
                tokio::select! {
                    biased;
                    () = stop.cancelled() => {}
                    () = sleep(self.options.poll) => {}
                }
            }
        }
        Ok(())
    }

    /// Takes more lanes that have something to deliver; false when there are none.
    async fn take_more(&self, hand: &mut Hand) -> Result<bool, StoreError> {
        hand.asked = Instant::now();
        let more = self.lease().await?;
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
        let back = self.store.give_back(&self.owner, &surplus).await;
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
        let renewed = self.store.renew(&self.owner, &hand.leases, self.options.lease).await?;
        *hand = Hand { leases: renewed, since, ..*hand };
        Ok(())
    }

    /// Sends what can be sent, round by round, for as long as the lease is safely ours.
    async fn deliver(&mut self, deliveries: Vec<Delivery>, hand: &Hand) -> Vec<UnitSettlement> {
        let mut rounds = Rounds::new(deliveries, self.options.retry);
        let publisher = match &self.service {
            Service::Publisher(publisher) => Some(Arc::clone(publisher)),
            Service::Inbox => None,
        };
        let keeps_order = publisher.as_ref().is_none_or(|publisher| publisher.keeps_order());
        loop {
            let left = self.options.lease.saturating_sub(hand.since.elapsed());
            if publisher.is_some() && left < self.options.deadline {
                break;
            }
            let places = rounds.next(keeps_order);
            if places.is_empty() {
                break;
            }
            let answers = match &publisher {
                None => places.iter().map(|_| Published::delivered()).collect(),
                Some(publisher) if places.len() == rounds.all().len() => {
                    self.send(&**publisher, rounds.all()).await
                }
                Some(publisher) => self.send(&**publisher, &rounds.slice(&places)).await,
            };
            for (place, answer) in places.into_iter().zip(answers) {
                rounds.answered(place, answer, self.random.u64(..));
            }
        }
        rounds.into_settlements()
    }

    /// One call of the publisher; whatever it does, there is an answer for each delivery.
    async fn send(&self, publisher: &dyn Publisher, slice: &[Delivery]) -> Vec<Published> {
        let began = Instant::now();
        let sending = AssertUnwindSafe(publisher.publish(slice)).catch_unwind();
        let failure = match timeout(self.options.deadline, sending).await {
            Ok(Ok(answers)) if answers.len() == slice.len() => {
                self.sent(began);
                return answers;
            }
            Ok(Ok(answers)) => {
                let problem =
                    format!("it answered for {} of {} deliveries", answers.len(), slice.len());
                Failure::coded(Code::new("publisher-miscounted"), &problem)
            }
            Ok(Err(panic)) => panics::failure(Code::new("publisher-panicked"), &*panic),
            Err(_) => {
                let problem = format!(
                    "no answer within {} s; it may have arrived",
                    self.options.deadline.as_secs()
                );
                Failure::coded(Code::new("publisher-timed-out"), &problem)
            }
        };
        self.sent(began);
        let retry = Published::Retry { failure, after: None };
        slice.iter().map(|_| retry.clone()).collect()
    }

    fn sent(&self, began: Instant) {
        self.metrics.destination(&self.destination, |figures| {
            figures.slices += 1;
            figures.latency.add(began.elapsed());
        });
    }

    /// Writes what became of a read. What was delivered would be delivered again if this were
    /// lost, so it is tried for as long as the lease is ours.
    async fn settle(&mut self, units: &[UnitSettlement], hand: &Hand) -> Result<(), StoreError> {
        let messages = match self.service {
            Service::Inbox => arrivals(units),
            Service::Publisher(_) => Vec::new(),
        };
        let lanes: HashSet<Lane> = units.iter().map(|unit| unit.delivery.lane).collect();
        let used = hand.leases.iter().filter(|lease| lanes.contains(&lease.lane));
        let leases: Vec<Lease> = used.cloned().collect();
        let mut rest = Duration::from_millis(20);
        loop {
            let replies = internal::replies(units);
            let settle = Settle { leases: &leases, units, messages: &messages, replies };
            match self.store.settle(settle).await {
                Ok(_) => {
                    self.metrics.destination(&self.destination, |it| it.settled(units));
                    return Ok(());
                }
                Err(error @ StoreError::Fenced { .. }) => return Err(error),
                Err(error)
                    if error.is_transient() && hand.since.elapsed() + rest < self.options.lease =>
                {
                    self.metrics.store_failed("settle", &error);
                    sleep(rest).await;
                    rest *= 2;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// True when the destination is not there at all: something was put back, and nothing was sent.
fn nothing_went_out(units: &[UnitSettlement]) -> bool {
    units.iter().any(|unit| unit.result == UnitResult::Later)
        && units.iter().all(|it| matches!(it.result, UnitResult::Later | UnitResult::Held))
}

/// The messages of the units that go to the inbox.
fn arrivals(units: &[UnitSettlement]) -> Vec<NewMessage> {
    let delivered = |unit: &&UnitSettlement| matches!(unit.result, UnitResult::Dispatched { .. });
    units.iter().filter(delivered).map(|unit| internal::message(&unit.delivery)).collect()
}
