//! A file of cases.

use std::num::{NonZeroU16, NonZeroU32};
use std::str::FromStr;
use std::time::Duration;

use dipmo_domain::Timestamp;

use super::expected::Then;
use super::plain::Plain;
use crate::model::config::Language;
use crate::read::{parsed, section};
use crate::{AtLeastOne, Lower, Map, Name, OneOrMany, Spanned, Upper};

section! {
    /// Cases that the processes of a pipeline are tried with.
    pub struct CaseFile("a file of cases") {
        /// The version of this language: 1.
        #[example(1)]
        dipmo: Language,
        /// The cases. Each stands by itself: none sees what another did.
        cases: AtLeastOne<Vec<TestCase>>,
    }
}

section! {
    /// Given an instance, when messages come, then this is what happens.
    pub struct TestCase("a case") {
        /// What it shows, in a few words; no other case of the file has it.
        #[example("a real hit is reviewed")]
        name: Spanned<String>,
        /// The process. Defaults to the only one that there is.
        #[example("HIT")]
        process: Option<Upper>,
        /// How things stand before. Defaults to an instance that is not there yet.
        #[example({"state": "HIT_CREATED", "data": {"notificationId": "N-1"}})]
        given: Option<Given>,
        /// What comes: a message, or several, one after the other.
        #[example({"event": "HitAssessed", "payload": {"positive": true}})]
        when: AtLeastOne<OneOrMany<When>>,
        /// What the last of them does.
        #[example({"goes": ["QUALIFIED_POSITIVE", "REVIEW_STARTED"]})]
        then: Then,
    }
}

section! {
    /// How things stand before the first message.
    pub struct Given("what is given") {
        /// The instance. Defaults to the one that the first message is for.
        #[example("H-1")]
        id: Option<Name>,
        /// The state that it is in. Without it the instance is not there yet.
        #[example("HIT_CREATED")]
        state: Option<Upper>,
        /// How often it went on before. Defaults to 1.
        version: Option<Spanned<NonZeroU32>>,
        /// The last version of the producer that it took. Defaults to none.
        last_version: Option<Spanned<i64>>,
        /// What it remembers; all else is null.
        #[example({"notificationId": "N-1"})]
        data: Map<Plain, Name>,
        /// The rows that are found for each fact. A row of a table that names the column it is looked up by
        /// is found by that value only. Defaults to none.
        #[example({"customer": [{"CUSTOMER_ID": "C-1", "STATUS": "BLOCKED"}]})]
        facts: Map<OneOrMany<Map<Plain, Name>>, Lower>,
        /// The time of the database. Defaults to 1970-01-01T00:00:00Z.
        #[example("2026-01-01T00:00:00Z")]
        now: Option<Spanned<Moment>>,
    }
}

section! {
    /// A message that comes, or a timer that fires.
    pub struct When("what comes") one_of ["event", "timer"] {
        /// The type of the event.
        #[example("HitAssessed")]
        event: Option<Name>,
        /// The name of a timer that fires: as an earlier message of this case set it, else as the process
        /// declares it.
        #[example("review-overdue")]
        timer: Option<Name>,
        /// What it says. Defaults to an empty object.
        #[example({"positive": true})]
        payload: Option<Plain>,
        /// The version of the event's contract. Defaults to `eventVersion` of the payload, else 1.
        version: Option<Spanned<NonZeroU16>>,
        /// The producer's version of the aggregate. Defaults to none.
        source_version: Option<Spanned<i64>>,
        /// The topic. Defaults to the first one that the process listens to for this event.
        topic: Option<Name>,
        /// The source. Defaults to the one that has the topic.
        source: Option<Name>,
        /// The producer's id of the message. Defaults to `message-1`, `message-2` and so on.
        message_id: Option<Name>,
        /// What it is about. Defaults to the instance.
        aggregate_id: Option<Name>,
        /// Its headers. Defaults to none.
        headers: Map<Spanned<String>, Name>,
        /// When it happened, by the producer's clock. Defaults to the time of the database.
        event_time: Option<Spanned<Moment>>,
        /// How many attempts at it failed before. Defaults to 0.
        attempts: Option<Spanned<u32>>,
        /// How long after what came before. Defaults to no time; a timer fires when it is due.
        #[example("1h")]
        after: Option<Spanned<Duration>>,
    }
}

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub Timestamp);

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem =
            || format!("`{}` is no time such as 2026-01-01T00:00:00Z", crate::node::cut(text));
        Timestamp::from_rfc3339(text).map(Self).ok_or_else(problem)
    }
}

parsed!(Moment, "a time", "2026-01-01T00:00:00Z", "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ].+$");
