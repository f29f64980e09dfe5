//! What a step must have brought: state, document, effects, writes and timers.

use dipmo_domain::{Json, Value};

use super::scenario::Scenario;
use super::show;
use crate::{Process, ProcessState};

impl<P: Process> Scenario<P> {
    /// The instance advanced to this state.
    #[track_caller]
    pub fn then_state(self, state: P::State) -> Self {
        let found = self.advanced().state;
        self.same("the state", &state.name(), &found)
    }

    /// The instance advanced through these states; the last is the new one.
    #[track_caller]
    pub fn then_path(self, path: &[P::State]) -> Self {
        let expected: Vec<_> = path.iter().map(|state| state.name()).collect();
        let found = self.advanced().path.clone();
        self.same("the path", &expected, &found)
    }

    /// The context document is this now.
    #[track_caller]
    pub fn then_data(self, data: &P::Data) -> Self {
        let expected = Json::of(data).expect("the context document can be written");
        let found = self.advanced().data.clone();
        self.same("the context document", &expected.as_str(), &found.as_str())
    }

    /// These effects, in this order, each as `KAFKA:hit-events HitQualified`.
    #[track_caller]
    pub fn then_effects(self, effects: &[&str]) -> Self {
        let found = show::intents(self.advanced());
        self.same("the effects", &effects, &found)
    }

    /// The payload of the first effect of that type.
    #[track_caller]
    pub fn then_payload(self, event_type: &str, payload: serde_json::Value) -> Self {
        let mut intents = self.advanced().intents.iter();
        let found = intents.find(|intent| intent.event_type == event_type);
        let found = found.and_then(|intent| intent.payload.read::<serde_json::Value>().ok());
        self.same(&format!("the payload of {event_type}"), &Some(payload), &found)
    }

    /// These writes, in this order, each as `upsert HITS H-1`, table and natural key, or as
    /// `run close_others C-1`, statement and values.
    #[track_caller]
    pub fn then_writes(self, writes: &[&str]) -> Self {
        let found = show::writes(self.advanced());
        self.same("the writes", &writes, &found)
    }

    /// The last write to a table sets a column to this.
    #[track_caller]
    pub fn then_column(self, table: &str, column: &str, value: impl Into<Value>) -> Self {
        let mut writes = self.advanced().writes.iter().rev();
        let found = writes.find(|write| write.table().is_some_and(|known| known.name == table));
        let found = found.and_then(|write| write.value(column)).cloned();
        self.same(&format!("{column} of {table}"), &Some(value.into()), &found)
    }

    /// These changes of timers, in this order, each as `set review-overdue` or `cancel …`.
    #[track_caller]
    pub fn then_timers(self, timers: &[&str]) -> Self {
        let found = show::timers(self.advanced());
        self.same("the timers", &timers, &found)
    }

    /// The process row shows a failure of this code.
    #[track_caller]
    pub fn then_failure(self, code: &str) -> Self {
        let found = self.advanced().failure.as_ref().map(|failure| failure.code().to_owned());
        self.same("the failure", &Some(code), &found.as_deref())
    }
}
