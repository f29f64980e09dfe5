//! One message: asked about, and settled.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dipmo_api::{Advanced, ErasedOutcome, Evidence, Facts, Intent, OutOfTurn, Park};
use dipmo_domain::{Code, ErrorStage, Failure, InboxId, Outcome, ProcessKey};
use dipmo_inbox::{DeadLetter, Ending, Message};
use dipmo_outbox::NewIntent;
use dipmo_store::{
    Changes, Found, HandlerOutcome, Settlement, SettlementKind, TimerWrite, is_blank,
};

use super::batch::Batch;
use super::instances;
use super::item::{Asked, Item, Taker};
use crate::panics;
use crate::policy::{OnFailure, Unrouted};

/// What a message comes to, before policies.
enum Verdict {
    Ended(Outcome),
    Advance(Box<Advanced>),
    Handled(Vec<NewIntent>),
    Parked(Park),
    Retry(Failure),
    Rejected(Failure),
}

impl Batch {
    /// Decides the message in one place, and adds what follows from it.
    pub(super) fn decide_one(&mut self, place: usize, found: &mut Found, changes: &mut Changes) {
        let item = &self.items[place];
        let message = item.claimed.message.id;
        // What ends as ignored changes nothing, so that its turn does not matter.
        let ignored =
            matches!(item.taker, Taker::Nobody) && self.rules.unrouted == Unrouted::Ignore;
        let kind = if !ignored && self.is_held(item) {
            SettlementKind::Held
        } else {
            let verdict = self.verdict(item, found);
            self.settle(place, verdict, changes)
        };
        if let SettlementKind::Failed { failure, block } = &kind {
            changes.intents.extend(self.dead_letter(&self.items[place], failure));
            if !block && self.gaps.note(&self.items[place]) {
                // What waited for it goes on without it.
                changes.wake.extend(self.items[place].order_key.clone());
            }
        }
        let item = &self.items[place];
        if waits(&kind)
            && let Some(key) = &item.order_key
        {
            self.stopped.insert(key.clone());
        }
        self.tally.settled(item, &kind, self.now);
        changes.settlements.push(Settlement { message, kind });
    }

    fn verdict(&self, item: &Item, found: &mut Found) -> Verdict {
        let id = item.claimed.message.id;
        if let Some(failure) = self.trial.verdict_on(id) {
            return Verdict::Rejected(failure);
        }
        match &item.taker {
            Taker::Nobody => match self.rules.unrouted {
                Unrouted::Ignore => Verdict::Ended(Outcome::Ignored),
                Unrouted::Fail => Verdict::Rejected(unrouted(item)),
            },
            Taker::Refused(failure) => Verdict::Rejected(failure.clone()),
            Taker::Destination(intent) => Verdict::Handled(vec![intent.as_ref().clone()]),
            Taker::Handler(_) => handled(id, found),
            Taker::Process(asked) => self.ask(item, asked, &found.facts),
        }
    }

    fn ask(&self, item: &Item, asked: &Asked, facts: &Facts) -> Verdict {
        let message = &item.claimed.message;
        let row = self.instances.row(&asked.instance);
        // Nobody can decide by what is not there, and whoever erased it wanted nothing more to come of it.
        if row.is_some_and(|row| is_blank(&row.context)) {
            return Verdict::Ended(Outcome::Ignored);
        }
        let row = row.map(|row| instances::view(row, &message.source_system));
        let last = row.as_ref().and_then(|row| row.last_source_version);
        let passed_over = |version| self.gaps.has(item.order_key.as_ref(), message, version);
        let judge = |version| asked.versions.judge(last, version, passed_over);
        match message.source_version.and_then(judge) {
            Some(OutOfTurn::Stale(stay)) => return Verdict::Ended(stay.outcome()),
            // Who retries it has decided that it goes on without what is missing.
            Some(OutOfTurn::Early(_)) if item.claimed.retried > 0 => {}
            Some(OutOfTurn::Early(park)) => return Verdict::Parked(park),
            None => {}
        }
        let evidence = Evidence { message: &item.view(), row: row.as_ref(), facts, now: self.now };
        match catch_unwind(AssertUnwindSafe(|| asked.question.decide(&evidence))) {
            Ok(ErasedOutcome::Advance(step)) => Verdict::Advance(step),
            Ok(ErasedOutcome::Stay(stay)) => Verdict::Ended(stay.outcome()),
            Ok(ErasedOutcome::Park(park)) => Verdict::Parked(park),
            Ok(ErasedOutcome::Retry(failure)) => Verdict::Retry(failure),
            Ok(ErasedOutcome::Reject(failure)) => Verdict::Rejected(failure),
            // A decision depends on nothing but its arguments: it would panic again.
            Err(panic) => {
                Verdict::Rejected(panics::failure(Code::new("process-panicked"), &*panic))
            }
        }
    }

    fn settle(&mut self, place: usize, verdict: Verdict, changes: &mut Changes) -> SettlementKind {
        match verdict {
            Verdict::Ended(outcome) => {
                self.take_version(place, outcome, changes);
                SettlementKind::Processed(outcome)
            }
            Verdict::Advance(step) => {
                self.advance(place, *step, changes);
                SettlementKind::Processed(Outcome::Done)
            }
            Verdict::Handled(intents) => {
                changes.intents.extend(intents);
                SettlementKind::Processed(Outcome::Done)
            }
            Verdict::Parked(park) => self.parked(place, park),
            Verdict::Retry(failure) => self.retry(place, failure),
            Verdict::Rejected(failure) => self.failed(failure),
        }
    }

    fn advance(&mut self, place: usize, step: Advanced, changes: &mut Changes) {
        let item = &self.items[place];
        let (Some(key), message) = (item.instance(), &item.claimed.message) else { return };
        let from = self.instances.advance(key, &step, message, self.now);
        self.tally.advanced(&key.process, from.as_deref(), step.state);
        if message.source_version.is_some() {
            changes.wake.extend(item.order_key.clone());
        }
        let aggregate_id = message.aggregate_id.as_ref().unwrap_or(&key.id);
        let timer = |change| TimerWrite {
            instance: key.clone(),
            aggregate_id: aggregate_id.clone(),
            change,
        };
        changes.writes.extend(step.writes);
        changes.timers.extend(step.timers.into_iter().map(timer));
        changes.intents.extend(step.intents.into_iter().map(|i| intent(i, key, message)));
    }

    /// A message that changed nothing has been taken all the same: what it announced is not
    /// missing any more.
    fn take_version(&mut self, place: usize, outcome: Outcome, changes: &mut Changes) {
        let item = &self.items[place];
        let taken = matches!(outcome, Outcome::Done | Outcome::Duplicate);
        if let Some(key) = item.instance().filter(|_| taken)
            && self.instances.note_version(key, &item.claimed.message)
        {
            changes.wake.extend(item.order_key.clone());
        }
    }

    fn parked(&self, place: usize, park: Park) -> SettlementKind {
        let claimed = &self.items[place].claimed;
        if claimed.parked_until.is_some_and(|until| until <= self.now) {
            let missing = park.until_version;
            let problem = format!("version {missing} of the producer did not come in time");
            return self.failed(Failure::coded(Code::new("version-missing"), &problem));
        }
        SettlementKind::Parked { at_most: park.timeout }
    }

    fn retry(&mut self, place: usize, failure: Failure) -> SettlementKind {
        let attempts = self.items[place].claimed.attempts;
        match self.rules.retry.backoff.delay(attempts, self.random.u64(..)) {
            Some(after) => SettlementKind::Retry { after, failure },
            None => self.failed(failure),
        }
    }

    /// The letter of a message that failed. One that cannot be made is told: the message fails all
    /// the same, and whoever looks for it in the topic of letters does not find it.
    fn dead_letter(&self, item: &Item, failure: &Failure) -> Option<NewIntent> {
        let letters = self.rules.dead_letters.as_ref()?;
        let message = &item.claimed.message;
        let ending = Ending {
            stage: ErrorStage::Business,
            failure: failure.clone(),
            attempts: item.claimed.attempts + 1,
            retried: item.claimed.retried,
        };
        let unmade = |problem: &dyn std::fmt::Display| {
            let (id, topic) = (message.id.0, &message.topic);
            tracing::error!(id, topic, %problem, "a message that failed is not mirrored");
            self.tally.unmirrored();
        };
        // Only a row that something else wrote cannot be told to the byte.
        let letter = DeadLetter::of(message, ending).inspect_err(|error| unmade(error)).ok()?;
        let (event_type, key) = (message.event_type.as_deref(), item.order_key.as_ref());
        let intent = letters.intent(&letter, event_type, key, message.id);
        intent.inspect_err(|error| unmade(error)).ok()?
    }

    fn failed(&self, failure: Failure) -> SettlementKind {
        let block = self.rules.retry.on_failure == OnFailure::Block;
        SettlementKind::Failed { failure, block }
    }
}

/// True when the order key of a message so settled waits for it.
///
/// Nobody waits for one that is held: its head may come later in this very batch, when it was
/// parked before, and must not be held behind itself.
const fn waits(kind: &SettlementKind) -> bool {
    match kind {
        SettlementKind::Retry { .. } => true,
        SettlementKind::Failed { block, .. } => *block,
        SettlementKind::Processed(_) | SettlementKind::Held | SettlementKind::Parked { .. } => {
            false
        }
    }
}

fn handled(message: InboxId, found: &mut Found) -> Verdict {
    match found.handled.remove(&message) {
        Some(HandlerOutcome::Done(intents)) => Verdict::Handled(intents),
        Some(HandlerOutcome::Retry(failure)) => Verdict::Retry(failure),
        Some(HandlerOutcome::Reject(failure)) => Verdict::Rejected(failure),
        // It was not called because something spoke against it, which `verdict` has seen first.
        None => Verdict::Retry(Failure::coded(
            Code::new("handler-not-called"),
            "the store did not call the handler",
        )),
    }
}

fn unrouted(item: &Item) -> Failure {
    let message = &item.claimed.message;
    let event_type = message.event_type.as_deref().unwrap_or("a message without a type");
    let problem = format!("nobody takes {event_type} of {}", message.topic);
    Failure::coded(Code::new("message-unrouted"), &problem)
}

fn intent(intent: Intent, instance: &ProcessKey, cause: &Message) -> NewIntent {
    NewIntent {
        aggregate_type: intent.aggregate_type,
        aggregate_id: intent.aggregate_id,
        event_type: intent.event_type,
        event_version: intent.event_version,
        payload: intent.payload,
        headers: intent.headers,
        destination: intent.destination,
        records: intent.records,
        reply_to: intent.expects_outcome.then(|| instance.clone()),
        cause: Some(cause.id),
        caused_at: Some(cause.received_at),
    }
}
