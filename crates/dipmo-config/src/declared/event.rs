//! Events: how the payload of one is read, whom it is for, what it asks of the database, what it means.

use dipmo_api::sql::ValueKind;
use dipmo_api::{FactRequest, Incoming, MessageView, Payload, Refusal};
use dipmo_cel::{Fuel, Pick, Program, Type, Value};
use dipmo_domain::Value as Cell;
use serde::de::{DeserializeSeed as _, Error as _};

use super::WORK;
use super::case::Case;
use super::cell::cell;
use super::template::Template;
use super::variables::{FactName, Used, Variable, Variables};

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
    pub(crate) fact_names: Vec<FactName>,
    pub(crate) cases: Vec<Case>,
    pub(crate) used: Used,
}

/// A fact that is fetched for an event.
#[derive(Debug)]
pub(crate) struct Fact {
    /// As the registry knows it.
    pub(crate) name: &'static str,
    pub(crate) key: Key,
}

/// By what a fact is found.
#[derive(Debug)]
pub(crate) enum Key {
    /// One value for each parameter.
    One(Vec<(ValueKind, Template)>),
    /// Several keys, each by itself.
    Several(ValueKind, Program),
}

impl Event {
    /// The payload of a message.
    pub(crate) fn read(&self, incoming: &Incoming<'_>) -> Result<Value, Refusal> {
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
        for Fact { name, key } in &self.facts {
            let refuse = |problem| Refusal::FactInvalid { process, fact: name, problem };
            let keys = key.values(variables, &mut fuel).map_err(refuse)?;
            let known = keys.into_iter().filter(|values| !values.contains(&Cell::Null));
            requests.extend(known.map(|values| FactRequest::with(name, values)));
        }
        Ok(requests)
    }

    /// Works out which variables anybody reads.
    pub(crate) fn note(&mut self) {
        let mut used = Used::default();
        self.instance.iter().for_each(|program| used.add(program));
        self.facts.iter().for_each(|fact| fact.note(&mut used));
        self.cases.iter().for_each(|case| case.note(&mut used));
        self.used = used;
    }

    /// True when anybody asks what the instance remembers.
    pub(crate) fn reads_data(&self) -> bool {
        self.used.has(Variable::Data)
    }
}

impl Fact {
    /// Notes which variables its key reads.
    pub(crate) fn note(&self, used: &mut Used) {
        match &self.key {
            Key::One(values) => values.iter().for_each(|(_, template)| template.note(used)),
            Key::Several(_, keys) => used.add(keys),
        }
    }
}

impl Key {
    /// The values of each request.
    fn values(&self, variables: &Variables, fuel: &mut Fuel) -> Result<Vec<Vec<Cell>>, String> {
        let said = |failure: dipmo_cel::Failure| failure.message;
        match self {
            Self::One(parameters) => {
                let value = |(kind, template): &(ValueKind, Template)| {
                    cell(*kind, &template.make(variables, fuel).map_err(said)?)
                };
                Ok(vec![parameters.iter().map(value).collect::<Result<_, _>>()?])
            }
            Self::Several(kind, keys) => match keys.run(variables.slots(), fuel).map_err(said)? {
                Value::List(keys) => {
                    keys.iter().map(|key| cell(*kind, key).map(|cell| vec![cell])).collect()
                }
                _ => Err("`keys` gave no list".to_owned()),
            },
        }
    }
}
