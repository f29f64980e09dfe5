//! Cases: what an event means in a state.

use std::time::Duration;

use serde_json::{Value, json};

use super::action::{Send, Timer, Write};
use crate::node::{Kind, Node};
use crate::read::{section, words};
use crate::schema::Schemas;
use crate::{Expr, Lower, Map, Name, OneOrMany, Place, Problems, Read, Spanned, Upper, ValueExpr};

section! {
    /// What an event means in some states: `go`, `stay`, `park`, `reject` or `retry`.
    pub struct Case("a case") one_of ["go", "stay", "park", "reject", "retry"] {
        /// The states that it is for. Defaults to every state.
        #[key("in")]
        #[example("RECEIVED")]
        states: OneOrMany<Upper>,
        /// It is for messages for which this is true. Defaults to all.
        #[example("event.positive")]
        when: Option<Expr>,
        /// What the edge is called in the diagram. Defaults to the event.
        name: Option<Spanned<String>>,
        /// The next state, or the path through several; `same` to act without moving.
        #[example("REVIEW_STARTED")]
        go: OneOrMany<Target>,
        /// Fields of the data that change.
        #[example({"positive": "=event.positive"})]
        set: Map<ValueExpr, Name>,
        /// Actions, in this order.
        #[key("do")]
        actions: OneOrMany<Lower>,
        /// Rows that are written, after those of the actions.
        write: OneOrMany<Write>,
        /// Intents that are sent, after those of the actions.
        send: OneOrMany<Send>,
        /// Timers that are set or cancelled, after those of the actions.
        timers: OneOrMany<Timer>,
        /// ERROR_CODE and ERROR_MESSAGE of the instance from now on.
        fail: Option<Complaint>,
        /// Nothing changes, and why.
        stay: Option<Spanned<Stay>>,
        /// It came too early, and waits for an earlier message.
        park: Option<Park>,
        /// It will never work as it is: it fails, and waits for a person.
        reject: Option<Complaint>,
        /// It may work later: it is tried again.
        retry: Option<Complaint>,
    }
}

/// Where a step leads.
#[derive(Clone, Debug)]
pub enum Target {
    /// To a state.
    State(Upper),
    /// Nowhere: the instance acts where it is.
    Same(Place),
}

impl Target {
    /// Where it stands.
    #[must_use]
    pub const fn place(&self) -> Place {
        match self {
            Self::State(state) => state.place,
            Self::Same(place) => *place,
        }
    }
}

impl Read for Target {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.kind {
            Kind::Scalar(scalar) if scalar.text == "same" => Some(Self::Same(node.place)),
            _ => Upper::read(node, problems).map(Self::State),
        }
    }

    fn schema(schemas: &mut Schemas) -> Value {
        let state = Upper::schema(schemas);
        json!({"anyOf": [state, {"const": "same"}]})
    }
}

section! {
    /// Waiting for an earlier message of the same aggregate, which may pass meanwhile.
    pub struct Park("a park") {
        /// The producer's version that must have been processed first.
        #[example("message.source_version - 1")]
        until: Expr,
        /// How long to wait; after that the message fails. Defaults to 1h.
        #[key("for")]
        wait: Option<Spanned<Duration>>,
    }
}

section! {
    /// A code and a sentence for whoever looks into it.
    pub struct Complaint("a complaint") {
        /// A code in capitals.
        #[example("ASSESSMENT_CHANGED")]
        code: Upper,
        /// What happened. Defaults to the code.
        message: Option<ValueExpr>,
    }
}

words! {
    /// Why a message changes nothing.
    pub enum Stay("a reason to stay") {
        /// The instance has already taken this step.
        Duplicate = "duplicate",
        /// The message speaks of a past that the instance has left behind.
        Stale = "stale",
        /// There is nothing to do.
        Nothing = "nothing",
    }
}
