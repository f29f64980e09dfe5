//! What a step does: rows, intents, timers.

use std::num::NonZeroU16;
use std::time::Duration;

use dipmo_domain::Destination;

use crate::read::section;
use crate::{AtLeastOne, Expr, Lower, Map, Name, OneOrMany, Spanned, Upper, ValueExpr};

section! {
    /// A bundle of effects.
    pub struct Action("an action") {
        /// Rows that are written.
        write: OneOrMany<Write>,
        /// Intents that are sent.
        send: OneOrMany<Send>,
        /// Timers that are set or cancelled.
        timers: OneOrMany<Timer>,
    }
}

section! {
    /// A row that is written or deleted, or a statement that is run, in the transaction of the step.
    pub struct Write("a write") one_of ["upsert", "delete", "statement"] {
        /// The table whose row is inserted, or updated if there is one with the same key.
        upsert: Option<Upper>,
        /// The table whose row is deleted; `set` has its key.
        delete: Option<Upper>,
        /// The columns and their values. Columns that are not named keep what they have.
        #[example({"HIT_ID": "=id", "STATUS": "=state"})]
        set: Map<ValueExpr, Upper>,
        /// The statement that is run, by its name under `statements`…
        statement: Option<Lower>,
        /// …with these parameters.
        #[example({"customer": "=data.customerId"})]
        with: Map<ValueExpr, Lower>,
        /// Only when this is true.
        when: Option<Expr>,
        /// Once for each item of this list, which is `item` in the values.
        #[example("event.members")]
        for_each: Option<Expr>,
    }
}

section! {
    /// An intent that is put into the outbox with the step.
    pub struct Send("what is sent") {
        /// Where it goes: `INTERNAL`, `KAFKA:<topic>`, `HTTP:SFDC[@org]:<api>:<object>`.
        #[example("KAFKA:hit-events")]
        to: AtLeastOne<OneOrMany<Spanned<Destination>>>,
        /// EVENT_TYPE.
        #[example("HitQualified")]
        event: Name,
        /// EVENT_VERSION. Defaults to 1.
        version: Option<Spanned<NonZeroU16>>,
        /// PAYLOAD. Defaults to an empty object.
        #[example({"hitId": "=id"})]
        payload: Option<ValueExpr>,
        /// HEADERS.
        headers: Map<ValueExpr, Name>,
        /// AGGREGATE_TYPE. Defaults to the name of the process.
        aggregate_type: Option<ValueExpr>,
        /// AGGREGATE_ID. Defaults to the instance.
        aggregate_id: Option<ValueExpr>,
        /// A list of the keys of the records that it is about. Defaults to none: it is one message.
        #[example("event.members.map(m, m.id)")]
        records: Option<Expr>,
        /// Whether the process wants to hear how it went, as `Delivered` or `DeliveryFailed`. Defaults to false.
        expects_outcome: Option<Spanned<bool>>,
        /// Only when this is true.
        when: Option<Expr>,
        /// Once for each item of this list, which is `item` in the values.
        for_each: Option<Expr>,
    }
}

section! {
    /// A timer of the instance. Setting a name again moves it.
    pub struct Timer("a timer") one_of ["set", "cancel"] {
        /// The name of a timer that is set.
        #[example("review-overdue")]
        set: Option<Name>,
        /// How long after the step it fires.
        #[example("14d")]
        after: Option<Spanned<Duration>>,
        /// The event that the instance gets then.
        event: Option<Name>,
        /// Its payload. Defaults to an empty object.
        payload: Option<ValueExpr>,
        /// The name of a timer that is cancelled.
        cancel: Option<Name>,
        /// Only when this is true.
        when: Option<Expr>,
    }
}
