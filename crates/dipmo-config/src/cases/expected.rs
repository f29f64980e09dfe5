//! What a case expects.

use std::num::NonZeroU16;
use std::time::Duration;

use dipmo_domain::Destination;

use super::plain::Plain;
use crate::model::case::{Stay, Target};
use crate::read::section;
use crate::{AtLeastOne, Lower, Map, Name, OneOrMany, Spanned, Upper, Yes};

section! {
    /// What the last message does. Only what is named is compared; a list that is named is complete and in
    /// order.
    pub struct Then("what is expected")
        one_of ["goes", "stays", "parks", "rejects", "retries", "refuses", "ignores"]
    {
        /// The state that the instance goes to, or all on its path; `same` when it acts without moving.
        #[example(["QUALIFIED_POSITIVE", "REVIEW_STARTED"])]
        goes: Option<Spanned<OneOrMany<Target>>>,
        /// Nothing changes, and why.
        #[example("duplicate")]
        stays: Option<Spanned<Stay>>,
        /// It waits for this version of the producer.
        #[example(2)]
        parks: Option<Spanned<i64>>,
        /// The process rejects it with this code; EVENT_UNEXPECTED when no case is for it.
        #[example("ASSESSMENT_CHANGED")]
        rejects: Option<Name>,
        /// The process wants it to be tried again, and gives this code.
        retries: Option<Name>,
        /// dipmo refuses it with this code before or after the process is asked.
        #[example("payload-unparsable")]
        refuses: Option<Name>,
        /// The process does not listen to it.
        ignores: Option<Spanned<Yes>>,
        /// What the instance remembers then.
        #[example({"positive": true})]
        data: Option<Spanned<Map<Plain, Name>>>,
        /// The rows that are written, those of actions first.
        #[example([{"upsert": "HITS", "set": {"STATUS": "REVIEW_STARTED"}}])]
        writes: Option<Spanned<OneOrMany<Written>>>,
        /// The intents that are sent.
        #[example([{"to": "KAFKA:hit-events", "event": "HitQualified"}])]
        sends: Option<Spanned<OneOrMany<Sent>>>,
        /// The timers that are set and cancelled.
        #[example([{"set": "review-overdue", "after": "14d"}])]
        timers: Option<Spanned<OneOrMany<Timed>>>,
        /// ERROR_CODE of the instance.
        #[example("REVIEW_OVERDUE")]
        fails: Option<Name>,
    }
}

section! {
    /// A row that is written or deleted, or a statement that is run.
    pub struct Written("a write") one_of ["upsert", "delete", "statement"] {
        /// The table whose row is inserted or updated.
        upsert: Option<Upper>,
        /// The table whose row is deleted.
        delete: Option<Upper>,
        /// Columns and their values.
        #[example({"STATUS": "REVIEW_STARTED"})]
        set: Map<Plain, Upper>,
        /// The statement that is run.
        statement: Option<Lower>,
        /// Its parameters and their values.
        with: Map<Plain, Lower>,
    }
}

section! {
    /// An intent that is put into the outbox; one to several destinations is one for each.
    pub struct Sent("what is sent") {
        /// Where it goes.
        #[example("KAFKA:hit-events")]
        to: AtLeastOne<OneOrMany<Spanned<Destination>>>,
        /// EVENT_TYPE.
        #[example("HitQualified")]
        event: Name,
        /// EVENT_VERSION.
        version: Option<Spanned<NonZeroU16>>,
        /// PAYLOAD.
        payload: Option<Plain>,
        /// HEADERS.
        headers: Map<Plain, Name>,
        /// AGGREGATE_TYPE.
        aggregate_type: Option<Name>,
        /// AGGREGATE_ID.
        aggregate_id: Option<Name>,
        /// The keys of the records that it is about.
        records: Option<Spanned<OneOrMany<Spanned<String>>>>,
        /// Whether the process wants to hear how it went.
        expects_outcome: Option<Spanned<bool>>,
    }
}

section! {
    /// A timer that is set or cancelled.
    pub struct Timed("a timer") one_of ["set", "cancel"] {
        /// The name of a timer that is set.
        set: Option<Name>,
        /// How long after the step it fires.
        #[example("14d")]
        after: Option<Spanned<Duration>>,
        /// The event that the instance gets then.
        event: Option<Name>,
        /// Its payload.
        payload: Option<Plain>,
        /// The name of a timer that is cancelled.
        cancel: Option<Name>,
    }
}
