//! The context of a decision: all that a process may know beside its state and the event.
//!
//! **Invariant:** nothing here reads a clock, a database or anything else that could answer
//! differently the second time.

use dipmo_domain::Timestamp;

use crate::{FactRequest, FactRow, Facts, MessageView};

/// What a process may look at while it decides.
#[derive(Debug)]
pub struct Context<'a, D> {
    pub(crate) data: &'a D,
    pub(crate) instance_id: &'a str,
    pub(crate) version: i64,
    pub(crate) last_source_version: Option<i64>,
    pub(crate) message: &'a MessageView<'a>,
    pub(crate) requests: &'a [FactRequest],
    pub(crate) facts: &'a Facts,
    pub(crate) now: Timestamp,
}

impl<'a, D> Context<'a, D> {
    /// The context document of the instance; the default of its type for a new one.
    #[must_use]
    pub const fn data(&self) -> &'a D {
        self.data
    }

    /// The `ID` of the process row.
    #[must_use]
    pub const fn instance_id(&self) -> &'a str {
        self.instance_id
    }

    /// The `VERSION` that the process row will have after this transition.
    ///
    /// It only grows, so it serves as the version column of domain rows that this instance alone
    /// writes. It is not the producer's version, and the two must not be compared.
    #[must_use]
    pub const fn version(&self) -> i64 {
        self.version
    }

    /// The last producer's version that this instance took from the source of this message.
    #[must_use]
    pub const fn last_source_version(&self) -> Option<i64> {
        self.last_source_version
    }

    /// The message: ids, headers, versions, times, and the payload as it was sent.
    #[must_use]
    pub const fn message(&self) -> &'a MessageView<'a> {
        self.message
    }

    /// How many attempts at this message failed before this one.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.message.attempts
    }

    /// The database's time, the same for the whole batch.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.now
    }

    /// The rows of a fact that this message asked for; none if it did not.
    pub fn facts(&self, name: &str) -> impl Iterator<Item = &'a FactRow> {
        let facts = self.facts;
        let asked = self.requests.iter().filter(move |request| request.name == name);
        asked.flat_map(move |request| facts.rows(request))
    }

    /// The first row of such a fact, where one is all there can be.
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&'a FactRow> {
        self.facts(name).next()
    }
}
