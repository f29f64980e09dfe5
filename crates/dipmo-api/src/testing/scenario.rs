//! Scenarios: an instance, and the messages that it meets one after the other.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::time::Duration;

use dipmo_domain::{Json, Timestamp, Value};

use super::TestMessage;
use super::world::{Met, Row, World};
use crate::{
    ErasedOutcome, FactKey, FactRequest, FactRow, Facts, Process, ProcessState, Registry,
    TimerChange, timer_topic,
};

/// An instance of a process in a test. Made by [`given`].
pub struct Scenario<P: Process> {
    pub(super) world: World,
    pub(super) row: Option<Row>,
    pub(super) last: Option<Last>,
    timers: BTreeMap<&'static str, Timer>,
    process: PhantomData<P>,
}

/// The last message, and what became of it.
pub(super) struct Last {
    pub(super) event_type: String,
    pub(super) met: Met,
}

struct Timer {
    due: Timestamp,
    event_type: &'static str,
    payload: Json,
}

/// A process without any instance yet; the first message makes one, with the id `instance-1`.
///
/// # Panics
/// When the process cannot be registered.
#[track_caller]
pub fn given<P: Process>(process: P) -> Scenario<P> {
    let registry = match Registry::new().process(process) {
        Ok(registry) => registry,
        Err(error) => panic!("the process cannot be registered: {error}"),
    };
    let world = World {
        registry,
        instance: "instance-1".to_owned(),
        facts: Facts::default(),
        now: Timestamp::EPOCH,
    };
    Scenario { world, row: None, last: None, timers: BTreeMap::new(), process: PhantomData }
}

impl<P: Process> Scenario<P> {
    /// The id of the instance, which is also the aggregate of its messages.
    pub fn instance(mut self, id: &str) -> Self {
        id.clone_into(&mut self.world.instance);
        self
    }

    /// The instance is there, in this state.
    #[track_caller]
    pub fn state(mut self, state: P::State) -> Self {
        let row = self.row.take().unwrap_or_else(Self::new_row);
        self.row = Some(Row { state: state.name(), ..row });
        self
    }

    /// The instance is there, with this context document.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a test writes the document down here")]
    pub fn data(mut self, data: P::Data) -> Self {
        let row = self.row.take().unwrap_or_else(Self::new_row);
        self.row = Some(Row { data: document::<P>(&data), ..row });
        self
    }

    /// A row that will be found for a fact, if a message asks for it.
    pub fn fact<const N: usize>(
        mut self,
        name: &'static str,
        key: impl Into<FactKey>,
        row: [(&'static str, Value); N],
    ) -> Self {
        self.world.facts.add(FactRequest::new(name, key), FactRow::from(row));
        self
    }

    /// The time of the database goes on.
    pub fn later(mut self, duration: Duration) -> Self {
        self.world.now = self.world.now.after(duration);
        self
    }

    /// An event comes, on the topic where the process expects it.
    #[track_caller]
    pub fn when(self, event_type: &str, payload: serde_json::Value) -> Self {
        self.when_message(&TestMessage::new(event_type, payload))
    }

    /// A message comes that needs more to be said about it.
    #[track_caller]
    pub fn when_message(mut self, message: &TestMessage) -> Self {
        let met = self.world.meet(self.row.as_ref(), message);
        if let Met::Decided(ErasedOutcome::Advance(advanced)) = &met {
            let seen = self.row.as_ref().and_then(|row| row.last_source_version);
            self.row = Some(Row::after(advanced, seen.max(message.source_version)));
            advanced.timers.iter().for_each(|change| self.change_timer(change));
        }
        self.last = Some(Last { event_type: message.event_type.clone(), met });
        self
    }

    /// A timer fires that an earlier message of this scenario set; it is then as late as it was to be.
    ///
    /// # Panics
    /// When no such timer is set.
    #[track_caller]
    pub fn when_timer(mut self, name: &str) -> Self {
        let Some(Timer { due, event_type, payload }) = self.timers.remove(name) else {
            panic!("the timer {name:?} is not set; set are {:?}", self.timers.keys());
        };
        self.world.now = self.world.now.max(due);
        let message = TestMessage::with_json(event_type, payload).topic(&timer_topic(P::NAME));
        self.when_message(&message)
    }

    fn change_timer(&mut self, change: &TimerChange) {
        match change {
            TimerChange::Set { name, after, event_type, payload } => {
                let due = self.world.now.after(*after);
                self.timers.insert(name, Timer { due, event_type, payload: payload.clone() });
            }
            TimerChange::Cancel { name } => {
                self.timers.remove(name);
            }
        }
    }

    #[track_caller]
    fn new_row() -> Row {
        let data = document::<P>(&P::Data::default());
        Row { state: P::State::INITIAL.name(), data, version: 1, last_source_version: None }
    }
}

#[track_caller]
fn document<P: Process>(data: &P::Data) -> Json {
    Json::of(data).expect("the context document can be written")
}
