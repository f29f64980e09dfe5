//! The order of a read: which deliveries go out together, and what their answers mean.
//!
//! **Invariant:** of one order key nothing goes out behind a delivery that was not delivered, and at
//! most one unit is left waiting as its head; the others are held behind it.

use std::collections::HashSet;

use dipmo_domain::OrderKey;
use dipmo_outbox::{Attempt, Delivery, Published, UnitResult, UnitSettlement};

use crate::policy::{OnFailure, RetryPolicy};

/// Deliveries on their way out.
pub(super) struct Rounds {
    deliveries: Vec<Delivery>,
    results: Vec<Option<UnitResult>>,
    /// Order keys that wait for one of their units.
    stopped: HashSet<OrderKey>,
    policy: RetryPolicy,
}

impl Rounds {
    pub(super) fn new(deliveries: Vec<Delivery>, policy: RetryPolicy) -> Self {
        // Those are held behind a head, which may be among the deliveries itself: its key is not
        // stopped by them.
        let held = |delivery: &Delivery| delivery.blocked_by.map(|_| UnitResult::Held);
        let results = deliveries.iter().map(held).collect();
        Self { deliveries, results, stopped: HashSet::new(), policy }
    }

    /// The next deliveries to send, by their places; empty when all have been answered for.
    ///
    /// A publisher that does not keep order gets each order key once.
    pub(super) fn next(&mut self, keeps_order: bool) -> Vec<usize> {
        let mut places = Vec::new();
        let mut keys = HashSet::new();
        for place in 0..self.deliveries.len() {
            if self.results[place].is_some() {
                continue;
            }
            let key = &self.deliveries[place].order_key;
            if self.stopped.contains(key) {
                self.results[place] = Some(UnitResult::Held);
            } else if keeps_order || keys.insert(key.clone()) {
                places.push(place);
            }
        }
        places
    }

    /// The deliveries in some places.
    pub(super) fn slice(&self, places: &[usize]) -> Vec<Delivery> {
        places.iter().map(|place| self.deliveries[*place].clone()).collect()
    }

    /// Everything that is left, when all of it goes out at once.
    pub(super) fn all(&self) -> &[Delivery] {
        &self.deliveries
    }

    /// Takes the answer for one of them in. `random` is any number, for the delay.
    pub(super) fn answered(&mut self, place: usize, answer: Published, random: u64) {
        let delivery = &self.deliveries[place];
        let stopped = self.stopped.contains(&delivery.order_key);
        let result = match answer {
            // It happened, whatever should have been.
            Published::Delivered { external_ref } => {
                self.results[place] = Some(UnitResult::Dispatched { external_ref });
                return;
            }
            _ if stopped => UnitResult::Held,
            Published::NotTried => UnitResult::Later,
            Published::Refused(failure) => self.failed(failure),
            Published::Retry { failure, after } => {
                let attempts = match delivery.attempt {
                    Attempt::First(_) => 0,
                    Attempt::Again { attempts } => attempts,
                };
                match self.policy.backoff.delay(attempts, random) {
                    Some(delay) => UnitResult::Retry { after: after.unwrap_or(delay), failure },
                    None => self.failed(failure),
                }
            }
        };
        self.stop(place, result);
    }

    /// Ends it: what was not sent is put back.
    pub(super) fn into_settlements(mut self) -> Vec<UnitSettlement> {
        for place in 0..self.deliveries.len() {
            if self.results[place].is_none() {
                self.answered(place, Published::NotTried, 0);
            }
        }
        let results = self.results.into_iter().flatten();
        let pairs = self.deliveries.into_iter().zip(results);
        pairs.map(|(delivery, result)| UnitSettlement { delivery, result }).collect()
    }

    fn failed(&self, failure: dipmo_domain::Failure) -> UnitResult {
        UnitResult::Failed { failure, block: self.policy.on_failure == OnFailure::Block }
    }

    fn stop(&mut self, place: usize, result: UnitResult) {
        if !matches!(result, UnitResult::Failed { block: false, .. }) {
            self.stopped.insert(self.deliveries[place].order_key.clone());
        }
        self.results[place] = Some(result);
    }
}
