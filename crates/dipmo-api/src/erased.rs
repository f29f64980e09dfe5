//! A process without its types, as the engine drives it and the registry keeps it.
//!
//! The engine opens a message, fetches the row and the facts that the question names, and asks.
//! A process written in Rust gets this form from [`erase`](crate::erase); one that is declared in a
//! file implements it, and checks its steps by the same [`Draft`](crate::Draft).

use dipmo_domain::{Failure, Json, Timestamp};

use crate::{
    Description, DomainWrite, FactRequest, Facts, Intent, MessageView, Park, Refusal, Stay,
    TimerChange,
};

/// A process of any kind.
pub trait ErasedProcess: Send + Sync {
    /// What it is made of.
    fn description(&self) -> &Description;

    /// Reads a message, once: what it asks of the database, and then the decision, come from the
    /// question.
    fn open(&self, message: &MessageView<'_>) -> Opened;
}

/// What opening a message gave.
pub enum Opened {
    /// A question that wants a row, and perhaps facts.
    Question(Box<dyn Question>),
    /// An event type that the process does not know: the message ends as IGNORED.
    Ignored,
    /// A message that cannot be asked about: it fails.
    Refused(Refusal),
}

/// A message that was read and waits for its row and its facts.
pub trait Question: Send {
    /// The `ID` of the process row.
    fn instance_id(&self) -> &str;

    /// The facts to fetch. A question that has some must see all writes of earlier ones.
    fn facts(&self) -> &[FactRequest];

    /// Decides. `message` is the one that was opened; its attempts may have grown since.
    ///
    /// # Errors
    /// When the row cannot be read, or the process wants something that cannot be written.
    fn try_decide(&self, evidence: &Evidence<'_>) -> Result<ErasedOutcome, Refusal>;

    /// The same, with a refusal as what it comes to: a rejected message.
    fn decide(&self, evidence: &Evidence<'_>) -> ErasedOutcome {
        self.try_decide(evidence).unwrap_or_else(|refusal| ErasedOutcome::Reject((&refusal).into()))
    }
}

/// What was found for a question.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The message that was opened.
    pub message: &'a MessageView<'a>,
    /// The process row; `None` for an instance that is not there yet.
    pub row: Option<&'a InstanceView<'a>>,
    /// The facts of the wave.
    pub facts: &'a Facts,
    /// The time of the database.
    pub now: Timestamp,
}

/// A process row.
#[derive(Clone, Copy, Debug)]
pub struct InstanceView<'a> {
    /// `STATE`.
    pub state: &'a str,
    /// `CONTEXT`.
    pub data: &'a Json,
    /// `VERSION`.
    pub version: i64,
    /// The entry of `LAST_EVENT_VERSIONS` for the source of the message.
    pub last_source_version: Option<i64>,
}

/// What a process decided, in names and JSON. The variants are those of
/// [`Transition`](crate::Transition).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErasedOutcome {
    /// The instance moves on.
    Advance(Box<Advanced>),
    /// Nothing changes, and that is right.
    Stay(Stay),
    /// An earlier message is missing.
    Park(Park),
    /// It failed now and may work later.
    Retry(Failure),
    /// It will never work as it is.
    Reject(Failure),
}

/// A step that was checked: all of it can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advanced {
    /// The states that were entered, in order; the last is the new one.
    pub path: Vec<&'static str>,
    /// The new `STATE`.
    pub state: &'static str,
    /// The new `CONTEXT`.
    pub data: Json,
    /// The new `VERSION`: one more than that of the row, whatever the length of the path, and 1
    /// for an instance that was not there.
    pub version: i64,
    /// Rows for the outbox, in order.
    pub intents: Vec<Intent>,
    /// Rows of the domain, in order.
    pub writes: Vec<DomainWrite>,
    /// Timers of the instance, in order.
    pub timers: Vec<TimerChange>,
    /// The new `ERROR_CODE` and `ERROR_MESSAGE`; none clears them.
    pub failure: Option<Failure>,
}
