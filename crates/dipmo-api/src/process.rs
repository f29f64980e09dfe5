//! The process manager, as its author writes it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{
    Context, Description, FactRequest, MessageView, ProcessEvent, ProcessState, Transition,
};

/// A process manager: a pure function from state, event and context to a transition.
///
/// **Invariant:** no method reads a clock, a database, a network or a random number. All that a
/// decision may depend on is passed to it, so that it can be tested, repeated and simulated.
pub trait Process: Send + Sync + 'static {
    /// In capitals, such as `HIT`: the table is `HIT_PROCESS`, the topic of its timers `timer:HIT`.
    const NAME: &'static str;

    /// Made by [`states!`](crate::states).
    type State: ProcessState;
    /// Made by [`events!`](crate::events).
    type Event: ProcessEvent;
    /// What an instance remembers: the context document of its row. A field that is added later
    /// needs `#[serde(default)]`, because rows of before do not have it.
    type Data: Serialize + DeserializeOwned + Default;

    /// Its table, the domain tables that it writes, the facts that it reads and what it
    /// subscribes to. Asked once, when the process is registered.
    fn describe(&self) -> Description;

    /// The `ID` of the instance that a message is for. Defaults to the aggregate of the message.
    ///
    /// Messages are kept in order by their aggregate. Where the instance is another, two of its
    /// messages can meet; the check of `VERSION` lets one of them win and the other try again.
    /// Timers and outcomes always find the instance that they belong to, and do not ask here.
    fn correlate(&self, event: &Self::Event, message: &MessageView<'_>) -> Option<String> {
        let _ = event;
        message.aggregate_id.map(str::to_owned)
    }

    /// The facts that a decision about this event needs. Defaults to none.
    fn facts(&self, event: &Self::Event, message: &MessageView<'_>) -> Vec<FactRequest> {
        let _ = (event, message);
        Vec::new()
    }

    /// Decides what an event means for an instance.
    fn decide(
        &self,
        state: &Self::State,
        event: &Self::Event,
        context: &Context<'_, Self::Data>,
    ) -> Transition<Self::State, Self::Data>;
}
