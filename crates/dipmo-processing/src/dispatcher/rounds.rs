//! The order of a read: which deliveries go out together, and what their answers mean.
//!
//! **Invariant:** of one order key nothing goes out behind a delivery that was not delivered, and at
//! most one unit is left waiting as its head; the others are held behind it.

use std::collections::{HashMap, HashSet};

use dipmo_domain::{OrderKey, fit};
use dipmo_outbox::{Attempt, ChunkRef, Delivery, JobId, Published, UnitResult, UnitSettlement};

use crate::policy::{OnFailure, RetryPolicy};

/// The room that stores have for an id of the destination.
const EXTERNAL_REF_CHARS: usize = 255;

/// Deliveries on their way out.
pub(super) struct Rounds {
    deliveries: Vec<Delivery>,
    results: Vec<Option<UnitResult>>,
    /// Order keys that wait for one of their units, and whether that heads them once it is settled.
    stopped: HashMap<OrderKey, bool>,
    policy: RetryPolicy,
}

impl Rounds {
    pub(super) fn new(deliveries: Vec<Delivery>, policy: RetryPolicy) -> Self {
        // What is blocked stops nobody: its head may be in this very read, and must go out.
        let held = |delivery: &Delivery| waits(delivery).then_some(UnitResult::Held);
        let results = deliveries.iter().map(held).collect();
        Self { deliveries, results, stopped: HashMap::new(), policy }
    }

    /// Units of a job: nothing is known of them but what they are answered with.
    pub(super) fn of_job(page: Vec<Delivery>, policy: RetryPolicy) -> Self {
        let results = page.iter().map(|_| None).collect();
        Self { deliveries: page, results, stopped: HashMap::new(), policy }
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
            if self.stopped.contains_key(key) {
                self.answered(place, Published::NotTried, 0);
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
        let behind_a_head = self.stopped.get(&delivery.order_key).copied();
        let result = match answer {
            // It happened, whatever should have been.
            Published::Delivered { external_ref } => {
                // What a destination says must never be a reason to deliver again.
                let external_ref = external_ref.map(|text| fit(&text, EXTERNAL_REF_CHARS).text);
                self.results[place] = Some(UnitResult::Dispatched { external_ref });
                return;
            }
            _ if waits(delivery) || behind_a_head == Some(true) => UnitResult::Held,
            // The one before it failed and heads nothing. A later one may: to be held would be to
            // wait for that.
            _ if behind_a_head.is_some() => UnitResult::Later,
            Published::NotTried => UnitResult::Later,
            Published::Unanswered { failure, after } => UnitResult::Unanswered { after, failure },
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

    /// Ends it for a job: what was not answered for stays in it. It is settled too where others of
    /// its chunk leave, because a chunk is settled as a whole.
    pub(super) fn into_settlements_of_job(self, job: JobId) -> Vec<UnitSettlement> {
        let pairs = self.deliveries.iter().zip(&self.results);
        let left: HashSet<ChunkRef> =
            pairs.filter(|(_, result)| result.is_some()).filter_map(|(it, _)| chunk(it)).collect();
        let pairs = self.deliveries.into_iter().zip(self.results);
        let settled = pairs.filter_map(|(delivery, result)| {
            let is_broken_up = chunk(&delivery).is_some_and(|chunk| left.contains(&chunk));
            let result = result.or(is_broken_up.then_some(UnitResult::InJob(job)))?;
            Some(UnitSettlement { delivery, result })
        });
        settled.collect()
    }

    fn failed(&self, failure: dipmo_domain::Failure) -> UnitResult {
        UnitResult::Failed { failure, block: self.policy.on_failure == OnFailure::Block }
    }

    /// Also one that failed and blocks nobody stops its key for this read: if the settlement is
    /// lost, it is sent again, and may arrive behind those that went on without it. Once it is
    /// settled they are let go.
    fn stop(&mut self, place: usize, result: UnitResult) {
        let is_head = !matches!(result, UnitResult::Failed { block: false, .. });
        self.stopped.insert(self.deliveries[place].order_key.clone(), is_head);
        self.results[place] = Some(result);
    }
}

/// True for one whose key waits for an earlier unit. A later one may head a key as well, when it was
/// put back while this one stayed in a job, or was retried by an operator: it goes behind this one.
pub(super) fn waits(delivery: &Delivery) -> bool {
    delivery.blocked_by.is_some_and(|head| head < delivery.unit)
}

const fn chunk(delivery: &Delivery) -> Option<ChunkRef> {
    match delivery.attempt {
        Attempt::First(chunk) => Some(chunk),
        Attempt::Again { .. } => None,
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
            caused_at: None,
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
        assert_eq!(results, [UnitResult::Failed { failure, block: false }, UnitResult::Later]);
    }

    #[test]
    fn a_unit_waits_for_an_earlier_head_and_not_for_a_later_one() {
        let read = vec![delivery(5, Some(8)), delivery(8, None), delivery(9, Some(8))];
        let mut rounds = Rounds::new(read, RetryPolicy::default());
        assert_eq!(rounds.next(false), [0]);
        rounds.answered(0, Published::delivered(), 0);
        assert_eq!(rounds.next(false), [1], "and what heads the key comes behind it");
    }

    fn in_chunk(unit: i64, chunk: i64) -> Delivery {
        Delivery { attempt: Attempt::First(ChunkRef(OutboxId(chunk))), ..delivery(unit, None) }
    }

    /// Answers for units of a job; what is settled, and how.
    fn answer(page: Vec<Delivery>, answers: Vec<Option<Published>>) -> Vec<(i64, UnitResult)> {
        let mut rounds = Rounds::of_job(page, RetryPolicy::default());
        for (place, answer) in answers.into_iter().enumerate() {
            answer.into_iter().for_each(|answer| rounds.answered(place, answer, 0));
        }
        let settled = rounds.into_settlements_of_job(JobId(9));
        settled.into_iter().map(|it| (it.delivery.unit.0, it.result)).collect()
    }

    #[test]
    fn what_is_not_answered_for_stays_in_its_job_and_is_settled_only_with_its_chunk() {
        let page = vec![in_chunk(1, 1), in_chunk(2, 1), in_chunk(3, 3), delivery(4, None)];
        let answers = vec![None, Some(Published::NotTried), None, None];
        let settled = answer(page, answers);
        assert_eq!(settled, [(1, UnitResult::InJob(JobId(9))), (2, UnitResult::Later)]);
        assert!(answer(vec![in_chunk(1, 1), delivery(2, None)], vec![None, None]).is_empty());
    }

    #[test]
    fn in_a_job_nothing_counts_behind_an_earlier_one_but_what_happened() {
        let failure = || dipmo_domain::Failure::new("no", "never");
        let page = (1..=4).map(|unit| delivery(unit, None)).collect();
        let answers = [
            Published::NotTried,
            Published::Refused(failure()),
            Published::delivered(),
            Published::Retry { failure: failure(), after: None },
        ];
        let settled = answer(page, answers.map(Some).to_vec());
        let results: Vec<_> = settled.into_iter().map(|(_, result)| result).collect();
        let happened = UnitResult::Dispatched { external_ref: None };
        assert_eq!(results, [UnitResult::Later, UnitResult::Held, happened, UnitResult::Held]);
    }

    #[test]
    fn in_a_job_a_unit_waits_for_an_earlier_head_and_not_for_a_later_one() {
        let page = vec![delivery(5, Some(2)), delivery(6, Some(8))];
        let settled = answer(page, vec![Some(Published::NotTried), None]);
        assert_eq!(settled, [(5, UnitResult::Held)]);
        let settled = answer(vec![delivery(6, Some(8))], vec![Some(Published::NotTried)]);
        assert_eq!(settled, [(6, UnitResult::Later)]);
    }
}
