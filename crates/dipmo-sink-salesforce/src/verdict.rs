//! What an answer of Salesforce means: for the delivery that it is about, and for the destination.
//!
//! The table of `docs/guide/salesforce-out.md`, as code. Deciding is pure; [`Effect::on`] acts.

use std::borrow::Cow;
use std::time::Duration;

use dipmo_domain::{Destination, Failure};
use dipmo_outbox::{Delivery, Published, Readiness};
use dipmo_salesforce::{Class, Error, RowError};

use crate::options::{Patience, attempts};
use crate::resilience::{Gate, How};

/// How soon Salesforce is asked whether a pause can end.
const PROBE_AFTER: Duration = Duration::from_secs(60);

/// What an answer means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// For the delivery.
    pub(crate) answer: Published,
    /// For the destination.
    pub(crate) effect: Effect,
}

/// What an answer means for the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    None,
    /// The destination said when it will be back.
    BackOff(Failure, Duration),
    /// Nothing more is sent to the org until it can be asked whether that makes sense.
    Pause(Failure),
    /// Nothing more is sent to the object until a person has looked at it.
    Stop(Failure),
    /// Nothing more is sent to the org until a person has looked at it.
    StopOrg(Failure),
}

impl Effect {
    /// Makes it so. The gate logs what is new to it: all rows of a call may say the same.
    pub(crate) fn on(self, gate: &Gate) {
        match self {
            Self::None => {}
            Self::BackOff(why, after) => gate.back_off(why, after),
            Self::Pause(why) => {
                if !is_about_calls(&why) && gate.readiness() == Readiness::Ready {
                    tracing::error!(code = why.code(), "a person is needed: {}", why.message());
                }
                gate.pause(why, PROBE_AFTER);
            }
            Self::Stop(why) => gate.stop(why),
            Self::StopOrg(why) => gate.stop_org(why),
        }
    }
}

/// An allowance of calls comes back by itself; what else pauses an org does not.
fn is_about_calls(why: &Failure) -> bool {
    why.code() == "REQUEST_LIMIT_EXCEEDED" || why.code().eq_ignore_ascii_case("ExceededQuota")
}

/// What the refusal of a row means. `parent` says how long a parent is waited for.
pub(crate) fn row(error: &RowError, delivery: &Delivery, parent: Patience) -> Verdict {
    let failure = row_failure(error, &delivery.destination);
    let retry = |failure| Published::Retry { failure, after: None };
    match error.class() {
        Class::Transient | Class::LessParallel | Class::RowLocked => {
            Verdict { answer: retry(failure), effect: Effect::None }
        }
        Class::ParentMissing => {
            Verdict { answer: parent.answer(delivery, failure), effect: Effect::None }
        }
        Class::Innocent | Class::Unprocessed => {
            Verdict { answer: Published::NotTried, effect: Effect::None }
        }
        Class::DuplicateValue if attempts(delivery) == 0 => {
            Verdict { answer: retry(failure), effect: Effect::None }
        }
        Class::QuotaExhausted | Class::OrgUnavailable => {
            Verdict { answer: Published::NotTried, effect: Effect::Pause(failure) }
        }
        Class::Unauthorized | Class::Misconfigured => {
            Verdict { answer: Published::NotTried, effect: Effect::Stop(failure) }
        }
        Class::Permanent if blames_mapping(error) => {
            Verdict { answer: Published::NotTried, effect: Effect::Stop(failure) }
        }
        // Also what a newer client may tell apart: nothing that is not known is tried for ever.
        _ => Verdict { answer: Published::Refused(failure), effect: Effect::None },
    }
}

/// Whether every record would be refused like that: the object, the external id or a field of the
/// mapping is not in the org. An upsert does not mind that its record is not there.
pub(crate) fn blames_mapping(error: &RowError) -> bool {
    let says = |words: &str| error.message.contains(words);
    match &*error.code {
        "NOT_FOUND" => {
            says("external ID field does not exist") || says("requested resource does not exist")
        }
        "INVALID_FIELD" => says("No such column") || says("does not match an External ID"),
        _ => false,
    }
}

/// A row's refusal in words: Salesforce's code and message, with the destination and the fields.
pub(crate) fn row_failure(error: &RowError, destination: &Destination) -> Failure {
    Failure::new(&error.code, &about(destination, &error.fields, &with_quotes(&error.message)))
}

/// A message with the value in quotes that it repeats without any: what is in quotes is known to be data.
fn with_quotes(message: &str) -> Cow<'_, str> {
    const BEFORE: [&str; 2] = ["value too large: ", "restricted picklist field: "];
    let found = BEFORE.iter().find_map(|words| Some(message.find(words)? + words.len()));
    let Some(begin) = found else { return message.into() };
    let value = &message[begin..];
    let end = value.rfind(" (max length").unwrap_or(value.len());
    format!("{}{:?}{}", &message[..begin], &value[..end], &value[end..]).into()
}

/// What the failure of a whole call means for all that was in it. `left` is how much of the time
/// that the call had is left: until then it may yet be applied.
pub(crate) fn call(
    error: &Error,
    destination: &Destination,
    left: Duration,
    health: &Readiness,
) -> Verdict {
    let failure = call_failure(error, destination);
    match error.class() {
        Class::QuotaExhausted | Class::OrgUnavailable => {
            Verdict { answer: Published::NotTried, effect: Effect::Pause(failure) }
        }
        Class::Unauthorized => {
            Verdict { answer: Published::NotTried, effect: Effect::StopOrg(failure) }
        }
        Class::Misconfigured => {
            Verdict { answer: Published::NotTried, effect: Effect::Stop(failure) }
        }
        Class::Innocent | Class::Unprocessed => {
            Verdict { answer: Published::NotTried, effect: Effect::None }
        }
        Class::Permanent => Verdict { answer: Published::Refused(failure), effect: Effect::None },
        // What was not answered is waited for; what was turned away at the door is told when to
        // come back, if it was told.
        _ if error.is_ambiguous() => unanswered(failure, left, health),
        _ => {
            let effect = match error.retry_after() {
                Some(after) => Effect::BackOff(failure.clone(), after),
                None => Effect::None,
            };
            Verdict { answer: later(failure, error.retry_after(), health), effect }
        }
    }
}

/// What it means that a call had no answer: it may have been applied, or may yet be. It is repeated
/// only once nothing of it can be under way, with what is newest then.
pub(crate) fn unanswered(failure: Failure, left: Duration, health: &Readiness) -> Verdict {
    let answer = if left.is_zero() {
        later(failure, None, health)
    } else {
        Published::Retry { failure, after: Some(left) }
    };
    Verdict { answer, effect: Effect::None }
}

/// While a breaker is open it is the destination's fault and nobody's attempt.
fn later(failure: Failure, after: Option<Duration>, health: &Readiness) -> Published {
    match health {
        Readiness::Ready => Published::Retry { failure, after },
        Readiness::Later { .. } | Readiness::Stopped { .. } => Published::NotTried,
    }
}

/// How the failure of a call counts for the health of the destination.
pub(crate) fn how(error: &Error) -> How {
    match error.class() {
        Class::Transient => How::Failed,
        Class::LessParallel => How::Crowded,
        _ => How::Refused,
    }
}

/// A call's failure in words.
pub(crate) fn call_failure(error: &Error, destination: &Destination) -> Failure {
    Failure::new(error.code(), &format!("{destination}: {error}"))
}

fn about(destination: &Destination, fields: &[String], message: &str) -> String {
    if fields.is_empty() {
        format!("{destination}: {message}")
    } else {
        format!("{destination}, {}: {message}", fields.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_a_refusal_repeats_is_in_quotes() {
        for (said, expected) in [
            (
                "Last Name: data value too large: Jane \"J\" Doe (max length=5)",
                r#"Last Name: data value too large: "Jane \"J\" Doe" (max length=5)"#,
            ),
            (
                "Status: bad value for restricted picklist field: Jane",
                r#"Status: bad value for restricted picklist field: "Jane""#,
            ),
            ("Required fields are missing: [Name]", "Required fields are missing: [Name]"),
        ] {
            assert_eq!(with_quotes(said), expected);
        }
    }
}
