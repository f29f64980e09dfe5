//! A story: the records of one aggregate, when they are sent, and what must come of them.

use std::time::Duration;

use dipmo_domain::Outcome;
use dipmo_inbox::Record;
use serde_json::{Value, json};

use super::send::{Answer, Send, bytes, is_inside};
use crate::demo::book::{Ending, Fate, Promise};
use crate::demo::topics::Incoming;

/// The records of one aggregate, and the promise about them.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) promise: Promise,
    pub(crate) sends: Vec<Send>,
    /// Whether its records may come in any order: each has a version, and early ones wait.
    pub(crate) any_order: bool,
    on: Incoming,
}

impl Story {
    pub(crate) fn new(
        plot: &'static str,
        process: &'static str,
        aggregate: String,
        on: Incoming,
    ) -> Self {
        let (endings, kept) = (vec![Ending::default()], Vec::new());
        let promise = Promise { plot, process, aggregate, endings, kept };
        Self { promise, sends: Vec::new(), any_order: false, on }
    }

    /// Sends an event, with all about it in its JSON; answers its id.
    pub(crate) fn tell(
        &mut self,
        after: u64,
        event_type: &str,
        version: Option<i64>,
        payload: &Value,
        fate: Fate,
    ) -> String {
        let id = self.next_id();
        let mut event = payload.clone();
        event["id"] = json!(id);
        event["type"] = json!(event_type);
        event[self.on.aggregate] = json!(self.promise.aggregate);
        if let Some(version) = version {
            event["version"] = json!(version);
        }
        let value = Some(bytes(&event));
        self.send(after, (id.clone(), true), Some(event_type), value);
        self.expect(&id, fate);
        id
    }

    /// Sends what tells nothing of itself: bytes that are no JSON, or a tombstone.
    pub(crate) fn stray(&mut self, after: u64, value: Option<Vec<u8>>, fate: Fate) {
        let id = self.next_id();
        if let Some(bytes) = &value {
            self.promise.kept.push((id.clone(), bytes.clone()));
        }
        self.expect(&id, fate);
        self.send(after, (id, is_inside(self.on.topic)), None, value);
    }

    /// Half of the first record, as one that was cut off on its way.
    pub(crate) fn cut_off(&self) -> Vec<u8> {
        let value = self.sends.first().and_then(|send| send.record.value.as_deref());
        let value = value.unwrap_or_default();
        value[..value.len() / 2].to_vec()
    }

    /// Sends a record once more. What tells no id is another message then, with the same end.
    pub(crate) fn again(&mut self, place: usize, after: Duration) {
        let mut send = Send { after, ..self.sends[place].clone() };
        if send.tells_id {
            send.answer = Answer::Duplicate;
        } else {
            let first = std::mem::replace(&mut send.id, self.next_id());
            let ending = &self.promise.endings[0];
            let fate = ending.messages.iter().find(|(id, _)| *id == first).map(|(_, fate)| *fate);
            if let Some(fate) = fate {
                self.expect(&send.id, fate);
            }
            if let Some(bytes) = &send.record.value {
                self.promise.kept.push((send.id.clone(), bytes.clone()));
            }
        }
        self.sends.push(send);
    }

    /// Promises how a message ends, in every ending.
    pub(crate) fn expect(&mut self, id: &str, fate: Fate) {
        for ending in &mut self.promise.endings {
            ending.messages.push((id.to_owned(), fate));
        }
    }

    /// The usual ending.
    pub(crate) fn ending(&mut self) -> &mut Ending {
        &mut self.promise.endings[0]
    }

    /// Another way in which it may end.
    pub(crate) fn or(&mut self, change: impl FnOnce(Ending) -> Ending) {
        let other = change(self.promise.endings[0].clone());
        self.promise.endings.push(other);
    }

    fn next_id(&self) -> String {
        format!("{}/{}", self.promise.aggregate, self.sends.len() + 1)
    }

    fn send(
        &mut self,
        after: u64,
        (id, tells_id): (String, bool),
        event_type: Option<&str>,
        value: Option<Vec<u8>>,
    ) {
        let record = Record {
            topic: self.on.topic.to_owned(),
            key: Some(self.promise.aggregate.clone().into_bytes()),
            timestamp_millis: -1,
            value,
            ..Record::default()
        };
        let (after, event_type) = (Duration::from_millis(after), event_type.map(str::to_owned));
        self.sends.push(Send { after, answer: Answer::New, id, tells_id, event_type, record });
    }
}

/// A message that took its step.
pub(crate) const DONE: Fate = Fate::Ended(Outcome::Done);
