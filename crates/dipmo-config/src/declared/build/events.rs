//! Events: their payloads, their instances, and how older versions become newer ones.

use dipmo_api::{DELIVERED, DELIVERY_FAILED, EventKind, Upcasters};
use dipmo_cel::{Fuel, Pick, Type, Value};
use serde_json::Value as Json;

use super::cases::Cases;
use super::effects::all;
use super::expressions::Compiler;
use super::facts::Known;
use super::process::Builder;
use super::types;
use crate::declared::WORK;
use crate::declared::event::Event;
use crate::declared::intern::intern;
use crate::declared::template::Template;
use crate::declared::variables::{Types, Used, Variable, Variables};
use crate::model::event;
use crate::problem::{Problem, codes};
use crate::{Name, Place, Problems};

impl Builder<'_> {
    /// The name and the version that is read.
    pub(super) fn kind(name: &Name, event: &event::Event) -> EventKind {
        let version = event.version.as_ref().map_or(1, |version| version.get());
        EventKind { name: intern(name), version }
    }

    /// What is known of the variables of an event.
    fn types(&self, name: &Name, event: &event::Event, facts: &[Known<'_>]) -> Types {
        let payload = match name.as_str() {
            _ if !event.fields.0.is_empty() => types::object("event", &event.fields),
            DELIVERED | DELIVERY_FAILED => types::delivery_report(),
            _ => Type::Dyn,
        };
        let facts = facts.iter().filter(|fact| fact.is_for(name));
        let facts = facts.map(|fact| (fact.name.said.to_owned(), fact.row())).collect();
        Types { event: payload, data: self.data_type(), facts }
    }

    pub(super) fn event(
        &self,
        name: &Name,
        event: &event::Event,
        facts: &[Known<'_>],
        problems: &mut Problems,
    ) -> Option<Event> {
        let types = self.types(name, event, facts);
        let compiler = Compiler { files: self.files, scope: types.scope() };
        let instance = event.instance.as_ref().or(self.process.instance.as_ref());
        let wanted = Type::optional(Type::String);
        let instance = instance.map(|it| {
            let program = compiler.expression(it, &wanted, problems)?;
            let what = "the instance is found";
            early(what, |used| used.add(&program), &KNOWN_AT_FIRST, it.place, problems);
            Some(program)
        });
        let facts: Vec<&Known<'_>> = facts.iter().filter(|fact| fact.is_for(name)).collect();
        let asked: Vec<_> = facts
            .iter()
            .map(|fact| {
                let asked = fact.ask(&compiler, problems)?;
                let known = &[Variable::Event, Variable::Message, Variable::Id];
                early("a fact is read", |used| asked.note(used), known, fact.place(), problems);
                Some(asked)
            })
            .collect();
        let cases = Cases { builder: self, types: &types };
        let declared = self.process.on.get(name);
        let declared = declared.map_or(&[][..], |cases| &cases[..]);
        let cases: Vec<_> = declared.iter().map(|case| cases.case(case, problems)).collect();
        let mut built = Event {
            name: intern(name),
            payload: types.event,
            pick: None,
            instance: all(instance)?,
            facts: asked.into_iter().collect::<Option<_>>()?,
            fact_names: facts.iter().map(|fact| fact.name).collect(),
            cases: cases.into_iter().collect::<Option<_>>()?,
            used: Used::default(),
        };
        built.note();
        let declared = event.fields.0.iter().map(|field| field.name.as_str());
        built.pick = match &built.payload {
            Type::Object(_) if !event.fields.0.is_empty() => Some(Pick::new(declared)),
            Type::Object(_) => None,
            _ => built.used.event_fields().map(Pick::new),
        };
        Some(built)
    }

    /// The steps from older versions of an event.
    pub(super) fn upcasts(
        &self,
        name: &Name,
        event: &event::Event,
        upcasters: &mut Upcasters,
        problems: &mut Problems,
    ) {
        if let Some(oldest) = &event.oldest {
            upcasters.begin_at(intern(name), oldest.get());
        }
        self.check_chain(name, event, problems);
        let types = Types { event: Type::Dyn, data: Type::Dyn, facts: Vec::new() };
        let compiler = Compiler { files: self.files, scope: types.scope() };
        for (version, upcast) in event.upcast.iter() {
            let set: Vec<_> = upcast
                .set
                .iter()
                .map(|(field, value)| {
                    let made = compiler.value(value, &Type::Dyn, problems)?;
                    let what = "an older version is read";
                    early(what, |used| made.note(used), &[Variable::Event], value.place, problems);
                    Some((field.to_string(), made))
                })
                .collect();
            let Some(set) = set.into_iter().collect::<Option<Vec<_>>>() else { continue };
            let lift = Lift {
                rename: upcast
                    .rename
                    .iter()
                    .map(|(old, new)| (old.to_string(), new.to_string()))
                    .collect(),
                set,
                remove: upcast.remove.iter().map(ToString::to_string).collect(),
            };
            upcasters.add(intern(name), version.number, move |payload| lift.apply(payload));
        }
    }

    /// Every version that was ever sent must lead to the one that is read, and no step may lead elsewhere.
    fn check_chain(&self, name: &Name, event: &event::Event, problems: &mut Problems) {
        let newest = Self::kind(name, event).version;
        let oldest = event.oldest.as_ref().map_or(1, |oldest| oldest.get());
        let leads_from = |from: u16| event.upcast.iter().any(|(version, _)| version.number == from);
        if let Some(hole) = (oldest..newest).find(|from| !leads_from(*from)) {
            let next = hole + 1;
            let message = format!(
                "{name} is read at version {newest}, and nothing leads from {hole} to {next}"
            );
            let hint = format!(
                "add `{hole}:` under `upcast`, or say with `oldest: {next}` that it was never sent"
            );
            problems.push(Problem::error(codes::UPCAST_INVALID, name.place, message).hint(hint));
        }
        for (version, _) in event.upcast.iter() {
            if !(oldest..newest).contains(&version.number) {
                let message = format!(
                    "no message of {name} is lifted from version {}: it is read from {oldest} to {newest}",
                    version.number
                );
                problems.push(Problem::error(codes::UPCAST_INVALID, version.place, message));
            }
        }
    }
}

/// What is known before anything is looked up.
const KNOWN_AT_FIRST: [Variable; 2] = [Variable::Event, Variable::Message];

/// Says that a variable is read before it is known: it would be null for every message.
fn early(
    what: &str,
    note: impl FnOnce(&mut Used),
    known: &[Variable],
    place: Place,
    problems: &mut Problems,
) {
    let mut used = Used::default();
    note(&mut used);
    for name in used.beyond(known) {
        let message = format!("`{name}` is not known yet when {what}");
        let names: Vec<String> = known.iter().map(|it| format!("`{}`", it.name())).collect();
        let hint = format!("what is known then: {}", names.join(", "));
        problems.push(Problem::error(codes::EXPRESSION_INVALID, place, message).hint(hint));
    }
}

/// One step from a version to the next.
struct Lift {
    rename: Vec<(String, String)>,
    set: Vec<(String, Template)>,
    remove: Vec<String>,
}

impl Lift {
    fn apply(&self, mut payload: Json) -> Result<Json, String> {
        let before: Value = serde_json::from_value(payload.clone()).map_err(|e| e.to_string())?;
        let fields = payload.as_object_mut().ok_or("the payload is no JSON object")?;
        for (old, new) in &self.rename {
            if let Some(value) = fields.remove(old) {
                fields.insert(new.clone(), value);
            }
        }
        let variables = Variables::of_event(before);
        let mut fuel = Fuel::new(WORK);
        for (field, template) in &self.set {
            let made = template.make(&variables, &mut fuel).map_err(|failure| failure.message)?;
            let made = serde_json::to_value(&made).map_err(|error| error.to_string())?;
            fields.insert(field.clone(), made);
        }
        for field in &self.remove {
            fields.remove(field);
        }
        Ok(payload)
    }
}
