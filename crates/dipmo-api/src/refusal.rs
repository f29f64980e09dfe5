//! Refusals: why dipmo itself turns a message or a transition down, whatever the process wants.

use dipmo_domain::{Code, Coded};
use thiserror::Error;

/// A message that no process can be asked about, or a transition that cannot be written.
///
/// Either fails the one message; its neighbours in the batch go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The payload has another shape than the event.
    #[error(
        "the payload of {event_type} v{version} does not parse: {reason}; \
         mend the producer or the event's type, then retry the message"
    )]
    PayloadUnparsable {
        /// `EVENT_TYPE`.
        event_type: String,
        /// The version that it was read as.
        version: u16,
        /// The first thing that does not fit, with line and column where the text was read as sent.
        reason: String,
    },
    /// A version that this process was not written for.
    #[error(
        "{event_type} v{version} came, but this process reads v{oldest} to v{newest}; \
         deploy a process that knows the version, then retry the message"
    )]
    EventVersionUnknown {
        /// `EVENT_TYPE`.
        event_type: String,
        /// The version of the message.
        version: u16,
        /// The oldest version with an upcaster.
        oldest: u16,
        /// The current version.
        newest: u16,
    },
    /// An upcaster met a payload that it could not lift.
    #[error("{event_type} v{from} could not be brought up to the next version: {reason}")]
    UpcastFailed {
        /// `EVENT_TYPE`.
        event_type: String,
        /// The version that the step begins at.
        from: u16,
        /// What the upcaster said.
        reason: String,
    },
    /// The message names no instance.
    #[error(
        "{process} cannot tell which instance {event_type} is for: \
         the message has no aggregate id and the process found no other"
    )]
    CorrelationMissing {
        /// The process.
        process: &'static str,
        /// `EVENT_TYPE`.
        event_type: String,
    },
    /// An expression of a declared process has no value for this message.
    #[error("{place} of {process} cannot be decided: {problem}")]
    ExpressionFailed {
        /// The process.
        process: &'static str,
        /// Which expression it is, such as `case 2 of HitAssessed`.
        place: String,
        /// What is wrong; names and types, and no value.
        problem: String,
    },
    /// The process asks for a fact that cannot be looked up.
    #[error("{process} asks for the fact {fact:?}: {problem}")]
    FactInvalid {
        /// The process.
        process: &'static str,
        /// The name of the fact.
        fact: &'static str,
        /// What is wrong with the name or the key.
        problem: String,
    },
    /// The process row is in a state that this version of the process does not have.
    #[error("the row of {process} is in state {state:?}, which the process does not have: {known}")]
    StateUnknown {
        /// The process.
        process: &'static str,
        /// What stands in `STATE`.
        state: String,
        /// The states that there are.
        known: String,
    },
    /// The process takes a step that is not among its edges.
    #[error("{process} wants to go from {from} to {to}, which is not among its edges")]
    EdgeUndeclared {
        /// The process.
        process: &'static str,
        /// The state that would be left.
        from: &'static str,
        /// The state that would be entered.
        to: &'static str,
    },
    /// An effect that does not fit the outbox.
    #[error("the effect {event_type} to {destination}: {problem}")]
    EffectInvalid {
        /// Where it was to go.
        destination: String,
        /// What it was to say.
        event_type: String,
        /// What does not fit.
        problem: String,
    },
    /// A row that does not fit its table.
    #[error("a domain write does not fit: {problem}")]
    DomainWriteInvalid {
        /// The table, and what does not fit.
        problem: String,
    },
    /// A timer that would never be heard.
    #[error("the timer {timer:?}: {problem}")]
    TimerInvalid {
        /// Its name.
        timer: &'static str,
        /// What does not fit.
        problem: String,
    },
    /// The context document cannot be read, or not be written to the row.
    #[error("the context document of {process} {problem}")]
    ContextInvalid {
        /// The process.
        process: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl Coded for Refusal {
    fn code(&self) -> Code {
        match self {
            Self::PayloadUnparsable { .. } => Code::new("payload-unparsable"),
            Self::EventVersionUnknown { .. } => Code::new("event-version-unknown"),
            Self::UpcastFailed { .. } => Code::new("upcast-failed"),
            Self::CorrelationMissing { .. } => Code::new("correlation-missing"),
            Self::ExpressionFailed { .. } => Code::new("expression-failed"),
            Self::FactInvalid { .. } => Code::new("fact-invalid"),
            Self::StateUnknown { .. } => Code::new("state-unknown"),
            Self::EdgeUndeclared { .. } => Code::new("edge-undeclared"),
            Self::EffectInvalid { .. } => Code::new("effect-invalid"),
            Self::DomainWriteInvalid { .. } => Code::new("domain-write-invalid"),
            Self::TimerInvalid { .. } => Code::new("timer-invalid"),
            Self::ContextInvalid { .. } => Code::new("context-invalid"),
        }
    }
}
