//! The world around an instance: its row, its facts, its timers, and a clock that stands still.
//!
//! Messages go the way that they go in the engine; only the database is missing.

use std::collections::BTreeMap;

use dipmo_api::{
    DELIVERED, DELIVERY_FAILED, ErasedOutcome, ErasedProcess as _, Evidence, FactRequest, Facts,
    InstanceView, OutOfTurn, Stay, TimerChange, outcome_topic, timer_topic,
};
use dipmo_domain::{Json, Timestamp};

use super::happened::Met;
use super::message::{Message, Usual};
use super::model::When;
use super::ready::Ready;

/// An instance between two messages.
pub(super) struct World<'a> {
    ready: &'a Ready<'a>,
    row: Option<Row>,
    /// The instance, once it is known.
    id: Option<String>,
    /// The last version that was taken of each source.
    seen: BTreeMap<String, i64>,
    timers: BTreeMap<&'static str, Timer>,
    now: Timestamp,
    heard: usize,
}

struct Row {
    state: String,
    data: Json,
    version: i64,
}

struct Timer {
    due: Timestamp,
    event: &'static str,
    payload: Json,
}

/// A message, and what became of it.
pub(super) struct Heard {
    pub(super) event: String,
    /// The state that the instance was in before.
    pub(super) from: String,
    /// Which case of the event decided.
    pub(super) case: Option<usize>,
    pub(super) met: Met,
}

impl<'a> World<'a> {
    pub(super) fn new(ready: &'a Ready<'a>) -> Self {
        let given = ready.case.given.as_ref();
        let row = given.and_then(|given| {
            let data = given.data.iter();
            let data: serde_json::Map<_, _> =
                data.map(|(name, value)| (name.to_string(), value.to_json())).collect();
            Some(Row {
                state: given.state.as_ref()?.to_string(),
                data: Json::of(&data).unwrap_or_else(|_| Json::empty_object()),
                version: given.version.as_ref().map_or(1, |version| version.get().into()),
            })
        });
        Self {
            ready,
            row,
            id: given.and_then(|given| given.id.as_ref()).map(ToString::to_string),
            seen: BTreeMap::new(),
            timers: BTreeMap::new(),
            now: given.and_then(|given| given.now).map_or(Timestamp::EPOCH, |now| now.value.0),
            heard: 0,
        }
    }

    /// A message comes. `Err` when it is for another instance.
    pub(super) fn hear(&mut self, when: &When) -> Result<Heard, String> {
        self.heard += 1;
        let message = self.message(when);
        let from = self.state();
        let (case, met) = self.meet(&message)?;
        if let Met::Decided(outcome) = &met {
            self.settle(outcome, &message);
        }
        Ok(Heard { event: message.event, from, case, met })
    }

    /// The state that the instance is in.
    fn state(&self) -> String {
        let initial = self.ready.process.description().table.initial;
        self.row.as_ref().map_or_else(|| initial.to_owned(), |row| row.state.clone())
    }

    fn message(&mut self, when: &When) -> Message {
        self.now = when.after.map_or(self.now, |after| self.now.after(after.value));
        let name = self.ready.process.description().name();
        let (event, payload, topic) = match (&when.timer, &when.event) {
            (Some(timer), _) => {
                let (event, payload) = self.fire(timer);
                (event, payload, timer_topic(name))
            }
            (None, Some(event)) => (event.to_string(), None, self.topic_of(event)),
            (None, None) => (String::new(), None, String::new()),
        };
        let source = self.source_of(when.topic.as_deref().unwrap_or(&topic));
        let instance = self.id.clone().unwrap_or_else(|| "instance-1".to_owned());
        let (now, number) = (self.now, self.heard);
        Message::new(when, Usual { event, topic, source, instance, payload, now, number })
    }

    /// What a timer says: as it was set in this case, else as the process declares it.
    fn fire(&mut self, name: &str) -> (String, Option<Json>) {
        if let Some(Timer { due, event, payload }) = self.timers.remove(name) {
            self.now = self.now.max(due);
            return (event.to_owned(), Some(payload));
        }
        let mut declared = self.ready.model.timer_changes();
        let declared = declared.find(|it| it.set.as_deref() == Some(name));
        let event = declared.and_then(|timer| timer.event.as_ref());
        (event.map(ToString::to_string).unwrap_or_default(), None)
    }

    /// The topic on which an event would come; one that nobody sends comes on one where nobody hears it.
    fn topic_of(&self, event: &str) -> String {
        let description = self.ready.process.description();
        let mut claims = description.subscriptions.iter();
        match claims.find(|claim| claim.takes(&claim.topic, Some(event))) {
            Some(claim) => claim.topic.replace('*', "test"),
            None if event == DELIVERED || event == DELIVERY_FAILED => {
                outcome_topic(description.name())
            }
            None if self.is_timed(event) => timer_topic(description.name()),
            None => "nowhere".to_owned(),
        }
    }

    /// True for an event that a timer brings.
    fn is_timed(&self, event: &str) -> bool {
        self.ready.model.timer_changes().any(|timer| timer.event.as_deref() == Some(event))
    }

    /// The source that has a topic; the kind of one that dipmo fills itself.
    fn source_of(&self, topic: &str) -> String {
        let mut sources = self.ready.config.sources.iter();
        let source = sources.find(|(_, source)| {
            let path = topic.strip_prefix("http:");
            source.topics().any(|(name, _)| name.as_str() == topic)
                || source.paths().any(|(name, _)| Some(name.as_str()) == path)
        });
        let own = || topic.split_once(':').map_or("test", |(kind, _)| kind).to_owned();
        source.map_or_else(own, |(name, _)| name.to_string())
    }

    fn meet(&mut self, message: &Message) -> Result<(Option<usize>, Met), String> {
        let process = self.ready.process;
        let description = process.description();
        let view = message.view();
        let own = [timer_topic(description.name()), outcome_topic(description.name())];
        let is_taken = own.contains(&message.topic)
            || description.subscriptions.iter().any(|it| it.takes(view.topic, view.event_type));
        if !is_taken {
            return Ok((None, Met::Ignored));
        }
        let asked = match process.ask(&view) {
            Ok(Some(asked)) => asked,
            Ok(None) => return Ok((None, Met::Ignored)),
            Err(refusal) => return Ok((None, Met::Refused(refusal))),
        };
        self.is_for(&asked.instance_id, message)?;
        let last = self.last_version(&message.source);
        let judge = |version| description.versions.judge(last, version, |_| false);
        match view.source_version.and_then(judge) {
            Some(OutOfTurn::Stale(stay)) => {
                return Ok((None, Met::Decided(ErasedOutcome::Stay(stay))));
            }
            Some(OutOfTurn::Early(park)) => {
                return Ok((None, Met::Decided(ErasedOutcome::Park(park))));
            }
            None => {}
        }
        let facts = self.facts(&asked.facts);
        let row = self.row.as_ref().map(|row| InstanceView {
            state: &row.state,
            data: &row.data,
            version: row.version,
            last_source_version: last,
        });
        let evidence = Evidence { message: &view, row: row.as_ref(), facts: &facts, now: self.now };
        Ok(match asked.decide_by_case(&evidence) {
            Ok((case, outcome)) => (case, Met::Decided(outcome)),
            Err(refusal) => (None, Met::Refused(refusal)),
        })
    }

    /// The first message says which instance it is, unless that is given; the others are for the same.
    fn is_for(&mut self, found: &str, message: &Message) -> Result<(), String> {
        match &self.id {
            Some(id) if id != found => Err(format!(
                "{} is for the instance {found}, and this case is about {id}",
                message.event
            )),
            Some(_) => Ok(()),
            None => {
                self.id = Some(found.to_owned());
                Ok(())
            }
        }
    }

    fn last_version(&self, source: &str) -> Option<i64> {
        let given = self.ready.case.given.as_ref().and_then(|given| given.last_version);
        self.seen.get(source).copied().max(given.map(|given| given.value))
    }

    /// The rows that are given for each request.
    fn facts(&self, requests: &[FactRequest]) -> Facts {
        let mut facts = Facts::default();
        for request in requests {
            let given = self.ready.facts.iter().filter(|known| known.fact == request.name);
            let found = given.filter_map(|known| known.by_key(request.key.one()));
            found.for_each(|row| facts.add(request.clone(), row));
        }
        facts
    }

    fn settle(&mut self, outcome: &ErasedOutcome, message: &Message) {
        match outcome {
            ErasedOutcome::Advance(advanced) => {
                let (state, data) = (advanced.state.to_owned(), advanced.data.clone());
                self.row = Some(Row { state, data, version: advanced.version });
                advanced.timers.iter().for_each(|change| self.change(change));
            }
            ErasedOutcome::Stay(Stay::Duplicate | Stay::Nothing) => {}
            _ => return,
        }
        if let Some(version) = message.source_version {
            let seen = self.seen.entry(message.source.clone()).or_insert(version);
            *seen = version.max(*seen);
        }
    }

    fn change(&mut self, change: &TimerChange) {
        match change {
            TimerChange::Set { name, after, event_type, payload } => {
                let due = self.now.after(*after);
                let timer = Timer { due, event: event_type, payload: payload.clone() };
                self.timers.insert(name, timer);
            }
            TimerChange::Cancel { name } => drop(self.timers.remove(name)),
        }
    }
}
