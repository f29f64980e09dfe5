//! Process managers.

use std::str::FromStr;
use std::time::Duration;

use super::action::{Action, Send, Timer, Write};
use super::case::Case;
use super::event::Event;
use super::fact::Fact;
use super::table::split_required;
use crate::read::{choice, parsed, section};
use crate::{AtLeastOne, Expr, Fields, Lower, Map, Name, OneOrMany, Spanned, Upper};

section! {
    /// A process manager: what it listens to, what it remembers, and what it does.
    pub struct Process("a process") {
        /// What it is for, in a sentence.
        describe: Option<Spanned<String>>,
        /// Topics, or their beginning and a `*`, and the event types of each that are meant for it.
        #[example({"notification-126": ["NotificationReceived", "HitAssessed"]})]
        listens: AtLeastOne<Map<AtLeastOne<OneOrMany<Name>>, Name>>,
        /// Which instance a message is for; an event may say its own. Defaults to `message.aggregate_id`.
        #[example("message.aggregate_id")]
        instance: Option<Expr>,
        /// How the producer's versions are read before the process is asked. Defaults to any.
        versions: Option<Spanned<Versions>>,
        /// The events that it knows, by type.
        events: AtLeastOne<Map<Event, Name>>,
        /// What an instance remembers, in this order in CONTEXT; all of it is null at first.
        #[example({"customerId": "string?"})]
        data: Fields,
        /// Columns of its table that show a field of its data; `, required` for NOT NULL.
        #[example({"CUSTOMER_ID": "customerId, required"})]
        columns: Map<Spanned<Shown>, Upper>,
        /// Its states and what each means.
        #[example({"RECEIVED": "A notification came.", "COMPLETED": {"describe": "Done.", "final": true}})]
        states: AtLeastOne<Map<State, Upper>>,
        /// The state of an instance that was just made.
        initial: Upper,
        /// What is read from the database before a message is decided on, by name.
        facts: Map<Fact, Lower>,
        /// Bundles of effects by name, used by `do`.
        actions: Map<Action, Lower>,
        /// For each event the cases; the first whose `in` and `when` fit decides. What no case takes is
        /// rejected with the code EVENT_UNEXPECTED.
        on: AtLeastOne<Map<AtLeastOne<OneOrMany<Case>>, Name>>,
    }
}

impl Process {
    /// Every case of every event.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.on.values().flat_map(|cases| cases.iter())
    }

    /// All that is sent, by actions and by cases.
    pub fn sends(&self) -> impl Iterator<Item = &Send> {
        let of_actions = self.actions.values().flat_map(|action| action.send.iter());
        of_actions.chain(self.cases().flat_map(|case| case.send.iter()))
    }

    /// All that is written, by actions and by cases.
    pub fn writes(&self) -> impl Iterator<Item = &Write> {
        let of_actions = self.actions.values().flat_map(|action| action.write.iter());
        of_actions.chain(self.cases().flat_map(|case| case.write.iter()))
    }

    /// All timers that are set or cancelled, by actions and by cases.
    pub fn timer_changes(&self) -> impl Iterator<Item = &Timer> {
        let of_actions = self.actions.values().flat_map(|action| action.timers.iter());
        of_actions.chain(self.cases().flat_map(|case| case.timers.iter()))
    }
}

section! {
    /// A state.
    pub struct State("a state") or describe {
        /// What it means, in a sentence.
        describe: Option<Spanned<String>>,
        /// True when nothing is left to do in it. Defaults to false.
        #[key("final")]
        is_final: Option<Spanned<bool>>,
    }
}

choice! {
    /// How the producer's versions are read before the process is asked.
    pub enum Versions("a rule of versions", "growing") {
        /// The process looks at them itself, or there are none.
        Any = "any",
        /// They grow: a message that is not newer than the last one ends as stale.
        Growing = "growing",
        /// They grow by one: in addition, a message that comes too early waits for those before it.
        Contiguous(Contiguous) = "contiguous",
    }
}

section! {
    /// Versions that grow by one.
    pub struct Contiguous("contiguous versions") {
        /// The version that an instance begins with. Defaults to 1.
        first: Option<Spanned<i64>>,
        /// How long to wait for what is missing; after that the message fails. Defaults to 1h.
        wait: Option<Spanned<Duration>>,
    }
}

/// The field of the data that a column shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its name.
    pub field: String,
    /// Whether the column is NOT NULL.
    pub required: bool,
}

impl FromStr for Shown {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (field, required) = split_required(text)?;
        if field.is_empty() {
            return Err("the name of a field of the data is missing".to_owned());
        }
        Ok(Self { field: field.to_owned(), required })
    }
}

parsed!(Shown, "a field of the data", "customerId, required", r"^[^,]+(,\s*required\s*)?$");
