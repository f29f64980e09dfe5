//! A slice on its way: given to the publisher, answered for, settled.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{Code, Failure, StoreError};
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Delivery, Published, Publisher, UnitResult, UnitSettlement};
use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep, timeout};

use super::courier::Courier;
use super::hand::Hand;
use super::internal;
use super::rounds::Rounds;
use super::services::Service;
use crate::panics;

/// How long a publisher may take to answer once the end of the engine is due.
const MOMENT: Duration = Duration::from_millis(500);

impl Courier {
    /// Sends what can be sent, round by round, for as long as the lease is safely ours.
    pub(super) async fn deliver(
        &mut self,
        deliveries: Vec<Delivery>,
        hand: &Hand,
    ) -> Vec<UnitSettlement> {
        let mut rounds = Rounds::new(deliveries, self.options.retry);
        let publisher = self.service.publisher().map(Arc::clone);
        let keeps_order = publisher.as_ref().is_none_or(|publisher| publisher.keeps_order());
        loop {
            let left = self.options.lease.saturating_sub(hand.since.elapsed());
            let may_send = self.goes_on() && left >= self.options.deadline;
            if publisher.is_some() && !may_send {
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
        let (pulse, destination) = (self.desk.metrics.pulse(), &self.desk.destination);
        pulse.works(&destination.to_string(), self.options.deadline);
        let publishing = publisher.publish_until(slice, &self.ending);
        let sending = timeout(self.options.deadline, AssertUnwindSafe(publishing).catch_unwind());
        let sent = tokio::select! {
            biased;
            sent = sending => Some(sent),
            () = self.out_of_time() => None,
        };
        self.sent(began);
        let retry = |failure| Published::Retry { failure, after: None };
        let answer = match sent {
            Some(Ok(Ok(answers))) if answers.len() == slice.len() => return answers,
            Some(Ok(Ok(answers))) => {
                let problem =
                    format!("it answered for {} of {} deliveries", answers.len(), slice.len());
                retry(Failure::coded(Code::new("publisher-miscounted"), &problem))
            }
            Some(Ok(Err(panic))) => {
                retry(panics::failure(Code::new("publisher-panicked"), &*panic))
            }
            Some(Err(_)) => retry(timed_out(self.options.deadline)),
            // Who comes next has the lanes at once, and must not send what may be on the wire yet.
            None => {
                let after = self.options.deadline.saturating_sub(began.elapsed());
                Published::Unanswered { failure: timed_out(began.elapsed()), after }
            }
        };
        vec![answer; slice.len()]
    }

    /// Waits until what is begun is left as it is: it must be settled, and leases given back, before
    /// the process has to end.
    pub(super) async fn out_of_time(&self) {
        self.ending.due().await;
        sleep(MOMENT).await;
    }

    fn sent(&self, began: Instant) {
        self.desk.metrics.destination(&self.desk.destination, |figures| {
            figures.slices += 1;
            figures.latency.add(began.elapsed());
        });
    }

    /// Writes what became of a read.
    pub(super) async fn settle(
        &self,
        units: &[UnitSettlement],
        hand: &Hand,
    ) -> Result<(), StoreError> {
        let messages = match self.service {
            Service::Inbox => arrivals(units),
            Service::Publisher(_) => Vec::new(),
        };
        let until = hand.since + self.options.lease;
        self.desk.settle(units, &hand.leases, &messages, until).await
    }
}

fn timed_out(time: Duration) -> Failure {
    let problem = format!("no answer within {} s; it may have arrived", time.as_secs());
    Failure::coded(Code::new("publisher-timed-out"), &problem)
}

/// The messages of the units that go to the inbox.
fn arrivals(units: &[UnitSettlement]) -> Vec<NewMessage> {
    let delivered = |unit: &&UnitSettlement| matches!(unit.result, UnitResult::Dispatched { .. });
    units.iter().filter(delivered).map(|unit| internal::message(&unit.delivery)).collect()
}
