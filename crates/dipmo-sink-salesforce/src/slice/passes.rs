//! Writes on their way out: one pass for all, and smaller ones for those that deserve another try.
//!
//! A row that somebody else had locked, a record that was undone because of another, an insert that
//! lost a race, a call that was refused because of one of its records: all of them are sent again
//! while there is time, in smaller calls, and without an attempt being counted.

use dipmo_domain::{Destination, Failure, SalesforceApi};
use dipmo_outbox::{Delivery, Published};
use dipmo_salesforce::{Class, RowError};
use futures_util::StreamExt as _;
use tokio::time::{Duration, sleep};

use super::caller::{Caller, Came};
use super::chains::Write;
use super::plan::{Batch, Plan, Planner};
use super::time::Time;
use crate::apis::{Outcome, Refusal, Via};
use crate::error::SinkError;
use crate::org::OrgContext;
use crate::verdict;

/// Calls are made smaller by so much from one pass to the next: 200, 50, 12, 3, 1.
const SMALLER: usize = 4;

/// After so many passes whoever is left waits for the next attempt.
const MOST_PASSES: u32 = 6;

/// How often a row that is locked is tried at once.
const LOCKED_TRIES: u8 = 3;

/// How long a locked row is left alone, at first.
const LOCK_REST: Duration = Duration::from_millis(100);

/// Sends writes.
pub(super) struct Passes<'a> {
    pub(super) org: &'a OrgContext,
    pub(super) destination: &'a Destination,
    pub(super) api: SalesforceApi,
    /// How often each write was tried before.
    pub(super) attempts: Vec<u32>,
    pub(super) time: Time<'a>,
}

/// What became of a write, and by which call.
pub(super) struct Sent {
    pub(super) via: Via,
    pub(super) end: End,
}

/// What became of a write.
pub(super) enum End {
    /// Salesforce has it, under this id where it told one.
    Done(Option<String>),
    /// Salesforce refused it; the deliveries tell what that means for them.
    Row(RowError),
    /// Salesforce refused it again, and that was the last time.
    Last(RowError),
    /// Salesforce blames another record of a call that had no other.
    Odd(RowError),
    /// No call takes it.
    Unfit(SinkError),
    /// This is the answer.
    Said(Published),
}

/// What a write went through so far.
#[derive(Clone, Copy, Default)]
struct Past {
    locked: u8,
    duplicate: bool,
}

/// What the next pass is like.
struct Next {
    places: Vec<usize>,
    /// The largest call that one of them was in.
    largest: usize,
    locked: bool,
}

impl Passes<'_> {
    /// Sends writes, and tells what became of each.
    pub(super) async fn send(
        &self,
        writes: &[&Write],
        random: &mut fastrand::Rng,
    ) -> Vec<Option<Sent>> {
        let Self { org, destination, api, ref attempts, time } = *self;
        let planner = Planner { org, destination, api, writes, attempts };
        let mut sent: Vec<Option<Sent>> = writes.iter().map(|_| None).collect();
        let mut past = vec![Past::default(); writes.len()];
        let mut places: Vec<usize> = (0..writes.len()).collect();
        let (mut most, mut parallel) = (usize::MAX, org.sending.parallel.max(1));
        for pass in 0..MOST_PASSES {
            let Plan { batches, unfit } = planner.plan(&places, most);
            for (place, error) in unfit {
                sent[place] = Some(Sent { via: Via::Composite, end: End::Unfit(error) });
            }
            let mut next = Next { places: Vec::new(), largest: 1, locked: false };
            for (batch, came) in self.call_all(writes, batches, parallel).await {
                next.take(&batch, came, &mut past, &mut sent);
            }
            if next.places.is_empty() || time.is_over() {
                break;
            }
            most = (next.largest / SMALLER).max(1);
            if next.locked {
                // One after the other, or they lock each other out again.
                parallel = 1;
                let rest = LOCK_REST.mul_f64(f64::from(1 << pass) * (0.5 + random.f64()));
                time.before_a_call(sleep(rest)).await;
            }
            places = next.places;
        }
        sent
    }

    async fn call_all(
        &self,
        writes: &[&Write],
        batches: Vec<Batch>,
        parallel: usize,
    ) -> Vec<(Batch, Came)> {
        let caller = Caller { org: self.org, destination: self.destination, time: self.time };
        let caller = &caller;
        let calls = batches.into_iter().map(|batch| async move {
            let of_batch: Vec<&Write> = batch.places.iter().map(|place| writes[*place]).collect();
            let came = caller.call(&batch, &of_batch).await;
            self.count(&batch, &came);
            (batch, came)
        });
        futures_util::stream::iter(calls).buffer_unordered(parallel).collect().await
    }

    fn count(&self, batch: &Batch, came: &Came) {
        let Came::Answered(outcomes) = came else { return };
        let meter = self.org.meter(batch.via.api());
        for outcome in outcomes {
            if let Err(Refusal::Row(error)) = outcome {
                meter.row_failed(&error.code);
            }
        }
    }
}

impl Next {
    /// Takes in what became of a call.
    fn take(&mut self, batch: &Batch, came: Came, past: &mut [Past], sent: &mut [Option<Sent>]) {
        let via = batch.via;
        match came {
            Came::Not(answer) => {
                for place in &batch.places {
                    sent[*place] = Some(Sent { via, end: End::Said(answer.clone()) });
                }
            }
            Came::RefusedAsAWhole(answer) => {
                let alone = batch.places.len() == 1;
                for place in &batch.places {
                    // Whoever has no time for another pass was not to blame as far as is known.
                    let answer = if alone { answer.clone() } else { Published::NotTried };
                    sent[*place] = Some(Sent { via, end: End::Said(answer) });
                }
                if !alone {
                    self.again(batch, &batch.places);
                }
            }
            Came::Answered(outcomes) => {
                for (place, outcome) in batch.places.iter().zip(outcomes) {
                    let (end, again) = judge(outcome, &mut past[*place], batch.places.len());
                    self.locked |= again == Some(Class::RowLocked);
                    sent[*place] = Some(Sent { via, end });
                    if again.is_some() {
                        self.again(batch, &[*place]);
                    }
                }
            }
        }
    }

    fn again(&mut self, batch: &Batch, places: &[usize]) {
        self.largest = self.largest.max(batch.places.len());
        self.places.extend(places);
    }
}

/// What an outcome is where no pass follows, and why another pass should.
fn judge(outcome: Outcome, past: &mut Past, company: usize) -> (End, Option<Class>) {
    let error = match outcome {
        Ok(id) => return (End::Done(id), None),
        // Whoever has no time for another pass was not to blame as far as is known.
        Err(Refusal::Shared(error)) if company > 1 => {
            let class = error.class();
            return (End::Said(Published::NotTried), Some(class));
        }
        Err(Refusal::Row(error) | Refusal::Shared(error)) => error,
    };
    match error.class() {
        Class::Innocent if company == 1 => (End::Odd(error), None),
        class @ Class::Innocent => (End::Row(error), Some(class)),
        class @ Class::RowLocked if past.locked < LOCKED_TRIES => {
            past.locked += 1;
            (End::Row(error), Some(class))
        }
        Class::DuplicateValue if past.duplicate => (End::Last(error), None),
        class @ Class::DuplicateValue => {
            past.duplicate = true;
            (End::Row(error), Some(class))
        }
        _ => (End::Row(error), None),
    }
}

impl End {
    /// The answer for a delivery that the write was for.
    pub(super) fn answer(&self, org: &OrgContext, delivery: &Delivery) -> Published {
        match self {
            Self::Done(id) => Published::Delivered { external_ref: id.clone() },
            Self::Row(error) => org.refused(delivery, error),
            Self::Last(error) => {
                Published::Refused(verdict::row_failure(error, &delivery.destination))
            }
            // As often as the policy allows: without a count it would go round for ever.
            Self::Odd(error) => Published::Retry {
                failure: verdict::row_failure(error, &delivery.destination),
                after: None,
            },
            Self::Unfit(error) => Published::Refused(Failure::from(error)),
            Self::Said(answer) => answer.clone(),
        }
    }
}
