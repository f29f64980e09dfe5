//! The order of a read: which deliveries go out together, and what their answers mean.
//!
//! **Invariant:** of one order key nothing goes out behind a delivery that was not delivered, and at
//! most one unit is left waiting as its head; the others are held behind it.

use std::collections::HashSet;

use dipmo_domain::{OrderKey, fit};
use dipmo_outbox::{Attempt, Delivery, Published, UnitResult, UnitSettlement};

use crate::policy::{OnFailure, RetryPolicy};

/// The room that stores have for an id of the destination.
const EXTERNAL_REF_CHARS: usize = 255;

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
        // What is blocked stops nobody: its head may be in this very read, and must go out.
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
                // What a destination says must never be a reason to deliver again.
                let external_ref = external_ref.map(|text| fit(&text, EXTERNAL_REF_CHARS).text);
                self.results[place] = Some(UnitResult::Dispatched { external_ref });
                return;
            }
            _ if stopped => UnitResult::Held,
            Published::NotTried => UnitResult::Later,
            Published::Refused(failure) => self.failed(failure),
            Published::Retry { failure, after } => {
                let attempts = match delivery.attempt {
                    Attempt::First(_) => 0,
                    Attempt::Again { attempts, .. } => attempts,
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

    /// Also one that failed and blocks nobody stops its key for this read: if the settlement is
    /// lost, it is sent again, and may arrive behind those that went on without it. Once it is
    /// settled they are let go.
    fn stop(&mut self, place: usize, result: UnitResult) {
        self.stopped.insert(self.deliveries[place].order_key.clone());
        self.results[place] = Some(result);
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{Destination, Json, OutboxId, Timestamp};

    use super::*;

    fn delivery(unit: i64, blocked_by: Option<i64>) -> Delivery {
        let order_key = OrderKey::new("R-1");
        Delivery {
            unit: OutboxId(unit),
            intent: OutboxId(unit),
            record: None,
            lane: order_key.lane(),
            order_key,
            destination: Destination::internal(),
            aggregate_type: "A".to_owned(),
            aggregate_id: "R-1".to_owned(),
            event_type: "E".to_owned(),
            event_version: 1,
            payload: Json::empty_object(),
            headers_json: None,
            created_at: Timestamp::EPOCH,
            cause: None,
            reply_to: None,
            attempt: Attempt::Again { attempts: 1, retried: 0 },
            blocked_by: blocked_by.map(OutboxId),
        }
    }

    #[test]
    fn a_head_goes_out_although_others_are_held_behind_it() {
        let read = vec![delivery(1, None), delivery(2, Some(1))];
        let mut rounds = Rounds::new(read, RetryPolicy::default());
        assert_eq!(rounds.next(false), [0]);
        rounds.answered(0, Published::delivered(), 0);
        assert!(rounds.next(false).is_empty());
        let results: Vec<_> = rounds.into_settlements().into_iter().map(|it| it.result).collect();
        assert_eq!(results, [UnitResult::Dispatched { external_ref: None }, UnitResult::Held]);
    }

    #[test]
    fn nothing_goes_out_behind_a_refusal_that_is_not_settled_yet() {
        let read = vec![delivery(1, None), delivery(2, None)];
        let policy = RetryPolicy { on_failure: OnFailure::Skip, ..RetryPolicy::default() };
        let mut rounds = Rounds::new(read, policy);
        assert_eq!(rounds.next(false), [0]);
        let failure = dipmo_domain::Failure::new("no", "never");
        rounds.answered(0, Published::Refused(failure.clone()), 0);
        assert!(rounds.next(false).is_empty());
        let results: Vec<_> = rounds.into_settlements().into_iter().map(|it| it.result).collect();
        assert_eq!(results, [UnitResult::Failed { failure, block: false }, UnitResult::Held]);
    }
}
