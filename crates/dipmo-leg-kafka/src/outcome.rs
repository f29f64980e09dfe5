//! What is sent for a record, and how it is counted. Nothing here does I/O.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dipmo_domain::{Code, ErrorStage, Failure};

use crate::attempt::Attempt;
use crate::chain::Chain;
use crate::letter::{letter, shortened};
use crate::transform::{Applied, Outgoing, Transform};

/// What came of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) sent: Vec<Outgoing>,
    pub(crate) fate: Fate,
}

impl Outcome {
    /// The same with letters that are shorter, after the whole was refused.
    pub(crate) fn shortened(self) -> Self {
        Self { sent: self.sent.into_iter().map(shortened).collect(), fate: self.fate }
    }
}

/// How a record is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Sent,
    Dropped,
    Retried,
    /// With the code.
    DeadLettered(String),
}

/// Who decides, and by which rules.
pub(crate) struct Deciding<'a> {
    pub(crate) leg: &'a str,
    pub(crate) chain: &'a Chain,
    pub(crate) transform: &'a dyn Transform,
}

impl Deciding<'_> {
    /// What comes of an attempt at a moment; `random` is any number.
    pub(crate) fn decide(&self, attempt: Attempt, now_millis: i64, random: u64) -> Outcome {
        match apply(self.transform, &attempt) {
            Applied::Send(sent) => Outcome { sent, fate: Fate::Sent },
            Applied::Drop => Outcome { sent: Vec::new(), fate: Fate::Dropped },
            Applied::Undecodable(failure) => self.dead(attempt, ErrorStage::ConsumerSerde, failure),
            Applied::Fail(failure) => self.dead(attempt, ErrorStage::Business, failure),
            Applied::Retry(failure) => self.retry(attempt, failure, now_millis, random),
        }
    }

    /// What becomes of a record that is given up.
    pub(crate) fn dead(&self, attempt: Attempt, stage: ErrorStage, failure: Failure) -> Outcome {
        let fate = Fate::DeadLettered(failure.code().to_owned());
        let to = self.chain.dead_letter_topic(&attempt.origin);
        Outcome { sent: vec![letter(self.leg, to, attempt, stage, failure)], fate }
    }

    fn retry(&self, attempt: Attempt, failure: Failure, now_millis: i64, random: u64) -> Outcome {
        let next = self.chain.next(&attempt.origin, attempt.failed + 1, random);
        let Some((topic, delay)) = next else {
            return self.dead(attempt, ErrorStage::Business, failure);
        };
        let delay = i64::try_from(delay.as_millis()).unwrap_or(i64::MAX);
        let headers = attempt.headers(&failure, now_millis.saturating_add(delay));
        let (key, value) = (attempt.record.key, attempt.record.value);
        Outcome { sent: vec![Outgoing { topic, key, headers, value }], fate: Fate::Retried }
    }
}

/// A transform that panics does so again for the same record, and the others wait behind it.
fn apply(transform: &dyn Transform, attempt: &Attempt) -> Applied {
    catch_unwind(AssertUnwindSafe(|| transform.apply(&attempt.record))).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().copied();
        let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        let message = format!("the transform panicked: {}", words.unwrap_or("without a word"));
        Applied::Fail(Failure::coded(Code::new("leg-transform-panicked"), &message))
    })
}

#[cfg(test)]
mod tests {
    use dipmo_inbox::Record;

    use super::*;
    use crate::attempt::DUE;

    fn outcome(applied: Applied, failed: u32) -> Outcome {
        let chain =
            Chain { retries: "fixed(5s, 2)".parse().unwrap(), dead_letters: "-dlt".to_owned() };
        let transform = move |_: &Record| applied.clone();
        let deciding = Deciding { leg: "copy", chain: &chain, transform: &transform };
        let record = Record { topic: "orders".to_owned(), ..Record::default() };
        let origin = record.topic.clone();
        deciding.decide(Attempt { record, origin, failed, due_millis: 0 }, 1_000, 0)
    }

    fn busy() -> Applied {
        Applied::Retry(Failure::new("busy", "not now"))
    }

    #[test]
    fn what_is_not_now_goes_down_the_chain_and_ends_in_the_dead_letters() {
        let topics: Vec<_> =
            (0..4).map(|failed| outcome(busy(), failed).sent[0].topic.clone()).collect();
        assert_eq!(topics, ["orders-retry-1", "orders-retry-2", "orders-dlt", "orders-dlt"]);
        assert_eq!(outcome(busy(), 0).sent[0].headers.text(DUE), Some("6000"));
        assert_eq!(outcome(busy(), 0).fate, Fate::Retried);
        assert_eq!(outcome(busy(), 2).fate, Fate::DeadLettered("busy".to_owned()));
    }

    #[test]
    fn never_is_a_dead_letter_at_once() {
        let failure = Failure::new("quantity", "not above zero");
        let failed = outcome(Applied::Fail(failure), 0);
        assert_eq!(failed.sent[0].topic, "orders-dlt");
        assert_eq!(failed.fate, Fate::DeadLettered("quantity".to_owned()));
    }

    #[test]
    fn a_transform_that_panics_holds_nobody_up() {
        let chain = Chain { retries: dipmo_domain::Backoff::None, dead_letters: "-dlt".to_owned() };
        let transform = |_: &Record| -> Applied { panic!("on purpose") };
        let deciding = Deciding { leg: "copy", chain: &chain, transform: &transform };
        let attempt = Attempt::of(Record::default(), ("orders", 0), &chain);
        let outcome = deciding.decide(attempt, 0, 0);
        assert_eq!(outcome.fate, Fate::DeadLettered("leg-transform-panicked".to_owned()));
    }
}
