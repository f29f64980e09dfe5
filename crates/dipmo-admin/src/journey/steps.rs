//! What happened, in the order of time.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::follow::{Found, FoundIntent};
use super::origin::Origin;
use crate::moment::Moment;
use crate::routes::messages::MessageView;
use crate::routes::operations::SideWord;

/// What happened to a message or an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// The message was stored.
    Received,
    /// The message ended; the note is its outcome.
    Processed,
    /// The intent was written.
    Intended,
    /// Units of the intent were acknowledged; the note is what the destination calls it, or how many.
    Dispatched,
    /// It will be tried then, or was to be; the note is the code of the last failure.
    Due,
}

/// A step of a journey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Step {
    pub(crate) at: Moment,
    pub(crate) what: What,
    pub(crate) side: SideWord,
    /// The message or the intent.
    pub(crate) id: i64,
    pub(crate) note: Option<String>,
}

/// All steps; of two at the same time the one that caused the other comes first.
pub(crate) fn of(came_from: &[Origin], found: &Found) -> Vec<Step> {
    let mut steps = Vec::new();
    for origin in came_from.iter().rev() {
        steps.extend(origin.cause.iter().flat_map(of_message));
        let intended = origin.intent.as_ref();
        steps.extend(
            intended.map(|line| step(line.created_at, What::Intended, (SideWord::Outbox, line.id))),
        );
    }
    for message in &found.messages {
        steps.extend(message.view.iter().flat_map(of_message));
        let caused = found.intents.iter().filter(|intent| intent.cause == message.id);
        steps.extend(caused.flat_map(of_intent));
    }
    // What one transaction did has one time, and stays in the order of causes.
    steps.sort_by_key(|step| step.at);
    steps
}

fn step(at: Moment, what: What, (side, id): (SideWord, i64)) -> Step {
    Step { at, what, side, id, note: None }
}

fn of_message(message: &MessageView) -> Vec<Step> {
    let of = (SideWord::Inbox, message.id);
    let place = format!("{}/{}@{}", message.topic, message.partition, message.offset);
    let received = Step { note: Some(place), ..step(message.received_at, What::Received, of) };
    let processed = message.processed_at.map(|at| Step {
        note: message.outcome.map(str::to_owned),
        ..step(at, What::Processed, of)
    });
    let due = message.next_attempt_at.map(|at| Step {
        note: message.failure.as_ref().map(|failure| failure.code().to_owned()),
        ..step(at, What::Due, of)
    });
    [Some(received), processed, due].into_iter().flatten().collect()
}

fn of_intent(intent: &FoundIntent) -> Vec<Step> {
    let of = (SideWord::Outbox, intent.line.id);
    let mut steps = vec![step(intent.line.created_at, What::Intended, of)];
    // What was settled together is one step.
    let mut dispatched: BTreeMap<Moment, Vec<&Option<String>>> = BTreeMap::new();
    for unit in &intent.units {
        if let Some(at) = unit.dispatched_at {
            dispatched.entry(at).or_default().push(&unit.external_ref);
        }
        steps.extend(unit.next_attempt_at.map(|at| Step {
            note: unit.failure.as_ref().map(|failure| failure.code().to_owned()),
            ..step(at, What::Due, of)
        }));
    }
    steps.extend(dispatched.into_iter().map(|(at, names)| Step {
        note: match names.as_slice() {
            [name] => (*name).clone(),
            names => Some(format!("{} units", names.len())),
        },
        ..step(at, What::Dispatched, of)
    }));
    steps.dedup();
    steps
}
