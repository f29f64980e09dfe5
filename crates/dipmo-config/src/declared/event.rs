//! Events: how the payload of one is read, whom it is for, what it asks of the database, what it means.

use dipmo_api::{FactRequest, Incoming, MessageView, Payload, Refusal};
use dipmo_cel::{Fuel, Pick, Program, Type, Value};
use serde::de::{DeserializeSeed as _, Error as _};

use super::WORK;
use super::case::Case;
use super::cell::cell;
use super::template::Template;
use super::variables::{Used, Variable, Variables};
use dipmo_api::table::ColumnKind;

/// An event that a process reads.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: &'static str,
    /// What its payload must be.
    pub(crate) payload: Type,
    /// The fields that anybody reads; none means all.
    pub(crate) pick: Option<Pick>,
    /// Whom it is for, where that is not the aggregate of the message.
    pub(crate) instance: Option<Program>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) fact_names: Vec<&'static str>,
    pub(crate) cases: Vec<Case>,
    pub(crate) used: Used,
}

/// A fact that is fetched for an event.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnKind,
    pub(crate) key: Key,
}

/// By what a fact is found.
#[derive(Debug)]
pub(crate) enum Key {
    One(Template),
    Several(Program),
}

impl Event {
    /// The payload of a message.
    pub(crate) fn read(&self, incoming: Incoming<'_>) -> Result<Value, Refusal> {
        let event = incoming.event;
        let read = match (&incoming.payload, &self.pick) {
            (Payload::Text(text), Some(pick)) => {
                pick.deserialize(&mut serde_json::Deserializer::from_str(text))
            }
            (Payload::Text(text), None) => serde_json::from_str(text),
            (Payload::Lifted(value), Some(pick)) => pick.deserialize(value),
            (Payload::Lifted(value), None) => serde_json::from_value(value.clone()),
        };
        let conform = |value| self.payload.conform(value).map_err(serde_json::Error::custom);
        read.and_then(conform).map_err(|error| Refusal::PayloadUnparsable {
            event_type: event.name.to_owned(),
            version: event.version,
            reason: error.to_string(),
        })
    }

    /// The `ID` of the instance that a message is for.
    pub(crate) fn instance(
        &self,
        variables: &Variables,
        message: &MessageView<'_>,
    ) -> Result<Option<String>, dipmo_cel::Failure> {
        let Some(program) = &self.instance else {
            return Ok(message.aggregate_id.map(str::to_owned));
        };
        let found = program.run(variables.slots(), &mut Fuel::new(WORK))?;
        Ok(found.as_str().map(str::to_owned))
    }

    /// The facts to fetch; a key that is null has none.
    pub(crate) fn ask(
        &self,
        process: &'static str,
        variables: &Variables,
    ) -> Result<Vec<FactRequest>, Refusal> {
        let mut requests = Vec::new();
        let mut fuel = Fuel::new(WORK);
        for Fact { name, kind, key } in &self.facts {
            let refuse = |problem| Refusal::FactInvalid { process, fact: name, problem };
            let failed = |failure: dipmo_cel::Failure| refuse(failure.message);
            let mut request = |value: &Value| {
                let key = cell(*kind, value).map_err(refuse)?;
                if !value.is_null() {
                    requests.push(FactRequest { name, key });
                }
                Ok(())
            };
            match key {
                Key::One(key) => request(&key.make(variables, &mut fuel).map_err(failed)?)?,
                Key::Several(keys) => {
                    let keys = keys.run(variables.slots(), &mut fuel).map_err(failed)?;
                    if let Value::List(keys) = keys {
                        keys.iter().try_for_each(request)?;
                    }
                }
            }
        }
        Ok(requests)
    }

    /// True when anybody asks what the instance remembers.
    pub(crate) fn reads_data(&self) -> bool {
        self.used.has(Variable::Data)
    }
}
