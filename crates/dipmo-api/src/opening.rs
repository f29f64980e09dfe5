//! Opening a message: what a process of any kind does before it can be asked.
//!
//! A payload of the current version stays the text that came; only one that must be lifted becomes
//! a `serde_json::Value` on the way.

use dipmo_domain::fit;
use serde_json::Value;

use crate::read::{check_version, lift, unparsable, version};
use crate::{Description, EventKind, FactRequest, INSTANCE_HEADER, MessageView, Refusal};

/// The longest `ID` of a process row, in characters.
const MAX_ID_CHARS: usize = 200;

/// A message that the process reads, at the version that it reads.
#[derive(Debug)]
pub struct Incoming<'a> {
    /// Its type, with the version that it is at now.
    pub event: EventKind,
    /// What it says.
    pub payload: Payload<'a>,
}

/// A payload at the version that its process reads.
#[derive(Debug)]
pub enum Payload<'a> {
    /// As it came.
    Text(&'a str),
    /// Brought up from an older version.
    Lifted(Value),
}

impl Incoming<'_> {
    /// Why the message is refused when the payload does not say what the event must say.
    #[must_use]
    pub fn unparsable(&self, error: &serde_json::Error) -> Refusal {
        unparsable(self.event, self.event.version, error)
    }
}

impl Description {
    /// Finds out what a message is; `None` when it is of no type that the process reads.
    ///
    /// # Errors
    /// When its version is unknown or cannot be lifted.
    pub fn incoming<'m>(&self, message: &MessageView<'m>) -> Result<Option<Incoming<'m>>, Refusal> {
        let kind = |name: &str| self.events.iter().copied().find(|kind| kind.name == name);
        let Some(event) = message.event_type.and_then(kind) else { return Ok(None) };
        let version = version(event, message)?;
        check_version(&self.upcasters, event, version)?;
        let payload = if version == event.version {
            Payload::Text(message.payload.as_str())
        } else {
            Payload::Lifted(lift(&self.upcasters, event, version, message.payload)?)
        };
        Ok(Some(Incoming { event, payload }))
    }

    /// The `ID` of the process row that a message is for: that of the instance that set a timer or
    /// asked for an outcome, else what `correlate` finds.
    ///
    /// # Errors
    /// When nobody knows.
    pub fn instance_id(
        &self,
        message: &MessageView<'_>,
        correlate: impl FnOnce() -> Option<String>,
    ) -> Result<String, Refusal> {
        let found = if self.is_own_topic(message.topic) {
            message.headers.text(INSTANCE_HEADER).or(message.aggregate_id).map(str::to_owned)
        } else {
            correlate()
        };
        let missing = || Refusal::CorrelationMissing {
            process: self.name(),
            event_type: message.event_type.unwrap_or_default().to_owned(),
        };
        // The inbox fits aggregate ids in the same way, so that both find the same row.
        found.filter(|id| !id.is_empty()).map(|id| fit(&id, MAX_ID_CHARS).text).ok_or_else(missing)
    }

    /// Finds a request for a fact that the database could not answer.
    ///
    /// # Errors
    /// When the process does not describe the fact, or its key does not fit the column or the query.
    pub fn check_facts(&self, requests: &[FactRequest]) -> Result<(), Refusal> {
        requests.iter().try_for_each(|request| match self.bad_request(request) {
            Some(problem) => {
                Err(Refusal::FactInvalid { process: self.name(), fact: request.name, problem })
            }
            None => Ok(()),
        })
    }

    fn bad_request(&self, request: &FactRequest) -> Option<String> {
        let Some(fact) = self.facts.iter().find(|fact| fact.name == request.name) else {
            return Some("it is not in the description of the process".to_owned());
        };
        fact.misfit(&request.key)
    }

    /// True for the topics of its own timers and outcomes.
    fn is_own_topic(&self, topic: &str) -> bool {
        let own = topic.strip_prefix("timer:").or_else(|| topic.strip_prefix("outcome:"));
        own == Some(self.name())
    }
}
