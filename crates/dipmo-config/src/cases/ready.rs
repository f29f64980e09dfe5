//! Cases whose names are known: all that can be wrong with one is said before any is run.

use dipmo_api::sql::ValueKind;
use dipmo_api::{ErasedProcess as _, FactDefinition, FactRow, FactSource};
use dipmo_domain::Value as Cell;

use super::model::{Given, TestCase, When};
use super::names;
use super::plain::Plain;
use crate::declared::{DeclaredProcess, cell, unknown};
use crate::model::process::Process;
use crate::problem::{Problem, codes};
use crate::{Config, Declared, Lower, Map, Name, Problems, read};

/// A case that can be run.
pub(super) struct Ready<'a> {
    pub(super) case: &'a TestCase,
    pub(super) config: &'a Config,
    pub(super) process: &'a DeclaredProcess,
    pub(super) model: &'a Process,
    pub(super) facts: Vec<Known>,
}

/// A row that is found for a fact.
pub(super) struct Known {
    /// As the registry names the fact.
    pub(super) fact: &'static str,
    /// The column that it is looked up by.
    pub(super) by: Option<&'static str>,
    pub(super) row: FactRow,
}

impl Known {
    /// The row, if it is one that a key finds; one that does not say its key is found by every key.
    pub(super) fn by_key(&self, key: Option<&Cell>) -> Option<FactRow> {
        let (Some(by), Some(key)) = (self.by, key) else { return Some(self.row.clone()) };
        let own = self.row.get(by).filter(|own| **own != Cell::Null);
        let mut row = own.is_none_or(|own| own == key).then(|| self.row.clone())?;
        row.insert(by, key.clone());
        Some(row)
    }
}

impl<'a> Ready<'a> {
    /// The case with all that it names, unless something is wrong with it.
    pub(super) fn new(
        case: &'a TestCase,
        config: &'a Config,
        declared: &'a Declared,
        problems: &mut Problems,
    ) -> Option<Self> {
        let before = problems.len();
        let process = process(case, config, declared, problems)?;
        let model = config.processes.get(process.description().name())?;
        let mut ready = Self { case, config, process, model, facts: Vec::new() };
        if let Some(given) = &case.given {
            ready.given(given, problems);
        }
        for when in case.when.iter() {
            ready.message(when, problems);
        }
        names::check(&case.then, model, declared, problems);
        (problems.len() == before).then_some(ready)
    }

    fn given(&mut self, given: &Given, problems: &mut Problems) {
        match &given.state {
            Some(state) => names::state(state, self.model, problems),
            None => nothing_without_state(given, problems),
        }
        names::fields(given.data.iter().map(|(name, _)| name), self.model, problems);
        for (name, rows) in given.facts.iter() {
            let Some(definition) = self.fact(name, problems) else { continue };
            for row in rows.iter() {
                self.facts.extend(known(&definition, row, problems));
            }
        }
    }

    fn fact(&self, name: &Lower, problems: &mut Problems) -> Option<FactDefinition> {
        let description = self.process.description();
        // Facts of two processes may have one name and mean different things.
        let registered = format!("{}.{name}", description.name());
        let found = description.facts.iter().find(|fact| fact.name == registered);
        if found.is_none() {
            problems.push(unknown("fact", name, name.place, self.model.facts.keys()));
        }
        found.cloned()
    }

    fn message(&self, when: &When, problems: &mut Problems) {
        if let Some(event) = &when.event
            && self.model.events.get(event).is_none()
            && self.case.then.ignores.is_none()
        {
            problems.push(unknown("event", event, event.place, self.model.events.keys()));
        }
        if let Some(timer) = &when.timer {
            names::timer(timer, self.model, problems);
        }
    }
}

fn process<'a>(
    case: &TestCase,
    config: &Config,
    declared: &'a Declared,
    problems: &mut Problems,
) -> Option<&'a DeclaredProcess> {
    let Some(name) = &case.process else {
        if let [only] = &declared.processes[..] {
            return Some(only);
        }
        let names: Vec<&str> = config.processes.keys().collect();
        let message = "a case needs the key `process`: there is not just one process";
        let hint = format!("there are {}", names.join(", "));
        problems.push(Problem::error(codes::MISSING_KEY, case.place, message).hint(hint));
        return None;
    };
    let named =
        |process: &&std::sync::Arc<DeclaredProcess>| process.description().name() == name.as_str();
    let found = declared.processes.iter().find(named);
    if found.is_none() {
        problems.push(unknown("process", name, name.place, config.processes.keys()));
    }
    found.map(|process| &**process)
}

/// An instance that is not there has no past.
fn nothing_without_state(given: &Given, problems: &mut Problems) {
    let data = given.data.0.first().map(|(name, _)| name.place);
    let version = given.version.as_ref().map(|version| version.place);
    let last = given.last_version.as_ref().map(|version| version.place);
    if let Some(place) = data.or(version).or(last) {
        let message = "without `state` the instance is not there yet, and has nothing to remember";
        let hint = "say which state it is in: `state: …`";
        problems.push(read::invalid(place, message).hint(hint));
    }
}

/// A row of a fact; columns that are not named are null.
fn known(
    fact: &FactDefinition,
    given: &Map<Plain, Name>,
    problems: &mut Problems,
) -> Option<Known> {
    let columns = columns(fact);
    let mut row: FactRow = columns.iter().map(|(name, _)| (*name, Cell::Null)).collect();
    let mut whole = true;
    for (name, value) in given.iter() {
        let Some((column, kind)) = columns.iter().find(|(known, _)| *known == name.as_str()) else {
            let known = columns.iter().map(|(name, _)| *name);
            problems.push(unknown("column", name, name.place, known));
            whole = false;
            continue;
        };
        match of_plain(*kind, value) {
            Ok(value) => drop(row.insert(column, value)),
            Err(problem) => {
                let place = value.place.unwrap_or(name.place);
                problems.push(read::invalid(place, format!("{name} {problem}")));
                whole = false;
            }
        }
    }
    whole.then_some(Known { fact: fact.name, by: fact.by(), row })
}

fn columns(fact: &FactDefinition) -> Vec<(&'static str, ValueKind)> {
    match &fact.source {
        FactSource::Table { table, .. } => {
            table.columns.iter().map(|column| (column.name, column.kind.into())).collect()
        }
        FactSource::Query { query, .. } => query.columns().to_vec(),
    }
}

fn of_plain(kind: ValueKind, value: &Plain) -> Result<Cell, String> {
    let value = serde_json::from_value(value.to_json()).map_err(|error| error.to_string())?;
    cell(kind, &value)
}
