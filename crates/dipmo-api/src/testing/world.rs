//! The world around an instance: the registered process, its facts, and a clock that stands still.

use dipmo_domain::{Json, Timestamp};

use super::TestMessage;
use crate::{
    Advanced, ErasedOutcome, Evidence, Facts, InstanceView, Opened, Refusal, Registry, Route,
    timer_topic,
};

pub(super) struct World {
    pub(super) registry: Registry,
    pub(super) instance: String,
    pub(super) facts: Facts,
    pub(super) now: Timestamp,
}

/// A process row between two messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Row {
    pub(super) state: &'static str,
    pub(super) data: Json,
    pub(super) version: i64,
    pub(super) last_source_version: Option<i64>,
}

/// What became of a message.
#[derive(Clone, Debug)]
pub(super) enum Met {
    Ignored,
    Refused(Refusal),
    Decided(ErasedOutcome),
}

impl Row {
    /// The row after a step.
    pub(super) fn after(advanced: &Advanced, last_source_version: Option<i64>) -> Self {
        let Advanced { state, data, version, .. } = advanced;
        Self { state, data: data.clone(), version: *version, last_source_version }
    }
}

impl World {
    /// Takes a message through everything that the engine would take it through.
    #[track_caller]
    pub(super) fn meet(&self, row: Option<&Row>, message: &TestMessage) -> Met {
        let topic = message.topic.clone().unwrap_or_else(|| self.topic_of(&message.event_type));
        let message = message.view(&topic, &self.instance, self.now);
        let Some(Route::Process(process)) = self.registry.route(&topic, message.event_type) else {
            return Met::Ignored;
        };
        let question = match process.open(&message) {
            Opened::Question(question) => question,
            Opened::Ignored => return Met::Ignored,
            Opened::Refused(refusal) => return Met::Refused(refusal),
        };
        let (found, expected) = (question.instance_id(), &self.instance);
        assert_eq!(found, expected, "the message is for another instance than the scenario");
        let row = row.map(|row| InstanceView {
            state: row.state,
            data: &row.data,
            version: row.version,
            last_source_version: row.last_source_version,
        });
        let evidence =
            Evidence { message: &message, row: row.as_ref(), facts: &self.facts, now: self.now };
        question.try_decide(&evidence).map_or_else(Met::Refused, Met::Decided)
    }

    /// The topic on which an event would come: the first subscription, else a timer.
    fn topic_of(&self, event_type: &str) -> String {
        let process = self.registry.processes()[0].description();
        let mut claims = process.subscriptions.iter();
        let claim = claims.find(|claim| claim.takes(&claim.topic, Some(event_type)));
        claim.map_or_else(|| timer_topic(process.name()), |claim| claim.topic.replace('*', "test"))
    }
}
