//! What came of the cases.

use dipmo_api::{ErasedOutcome, ErasedProcess as _};
use serde_json::{Value, json};

use super::coverage::{Coverage, Taken};
use super::diff::{Line, diff};
use super::happened::Met;
use super::plain::Plain;
use super::ready::Ready;
use super::world::{Heard, World};
use super::{compare, wanted, yaml};
use crate::{Config, Files, Place};

/// What came of all cases.
#[derive(Clone, Debug)]
pub struct Report {
    /// Each case, in the order of the files.
    pub ran: Vec<Ran>,
    /// Which cases of events they took.
    pub coverage: Coverage,
}

/// What came of a case.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// The process that it is about.
    pub process: String,
    /// What is not as expected; nothing when it passed.
    pub misses: Vec<Miss>,
}

/// Something that is not as expected.
#[derive(Clone, Debug)]
pub struct Miss {
    /// Where it is expected.
    pub place: Place,
    /// What was expected, as lines of YAML.
    pub expected: Vec<String>,
    /// What happened instead, of what is compared.
    pub happened: Vec<String>,
    /// Why that happened, in words.
    pub why: Option<String>,
}

impl Report {
    pub(super) fn of(ready: &[Ready<'_>], config: &Config) -> Self {
        let mut taken = Taken::new();
        let ran = ready.iter().map(|ready| Ran::of(ready, &mut taken)).collect();
        Self { ran, coverage: Coverage::of(config, &taken) }
    }

    /// How many passed.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.ran.iter().filter(|ran| ran.has_passed()).count()
    }

    /// How many did not.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.ran.len() - self.passed()
    }

    /// As JSON: `passed`, `failed`, `cases` and `not_taken`.
    #[must_use]
    pub fn to_json(&self, files: &Files) -> Value {
        let left = self.coverage.left.iter().map(|way| {
            let mut value = place(files, way.place);
            value["process"] = json!(way.process);
            value["event"] = json!(way.event);
            value["case"] = json!(way.number);
            value
        });
        json!({
            "passed": self.passed(),
            "failed": self.failed(),
            "cases": self.ran.iter().map(|ran| ran.to_json(files)).collect::<Vec<_>>(),
            "ways": self.coverage.all,
            "not_taken": left.collect::<Vec<_>>(),
        })
    }
}

impl Ran {
    fn of(ready: &Ready<'_>, taken: &mut Taken) -> Self {
        let process = ready.process.description().name();
        let misses = match through(ready, taken) {
            Ok(heard) => misses(ready, &heard),
            Err(miss) => vec![*miss],
        };
        Self {
            name: ready.case.name.value.clone(),
            place: ready.case.name.place,
            process: process.to_owned(),
            misses,
        }
    }

    /// True when all is as expected.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.misses.is_empty()
    }

    fn to_json(&self, files: &Files) -> Value {
        let misses = self.misses.iter().map(|miss| {
            let mut value = place(files, miss.place);
            value["expected"] = json!(miss.expected.join("\n"));
            value["happened"] = json!(miss.happened.join("\n"));
            value["why"] = json!(miss.why);
            value
        });
        let mut value = place(files, self.place);
        value["name"] = json!(self.name);
        value["process"] = json!(self.process);
        value["passed"] = json!(self.has_passed());
        value["misses"] = misses.collect();
        value
    }
}

impl Miss {
    /// Both sides line by line.
    #[must_use]
    pub fn diff(&self) -> Vec<Line> {
        diff(&self.expected, &self.happened)
    }
}

fn place(files: &Files, place: Place) -> Value {
    let position = files.position(place);
    json!({
        "file": files.name(place.file),
        "line": position.line,
        "column": position.column,
    })
}

/// Lets every message come, and gives the last of them. One that would hold up those behind it ends the
/// case.
fn through(ready: &Ready<'_>, taken: &mut Taken) -> Result<Heard, Box<Miss>> {
    let mut world = World::new(ready);
    let process = ready.process.description().name();
    let mut last = None;
    for (at, when) in ready.case.when.iter().enumerate() {
        let stopped = |happened, why| {
            Box::new(Miss { place: when.place, expected: Vec::new(), happened, why })
        };
        let heard = world.hear(when).map_err(|why| stopped(Vec::new(), Some(why)))?;
        if let Some(case) = heard.case {
            taken.insert((process.to_owned(), heard.event.clone(), case));
        }
        if at + 1 < ready.case.when.len() && !goes_on(&heard.met) {
            let happened = outcome_lines(&heard.met);
            let why = heard.met.why().map_or_else(String::new, |why| format!(": {why}"));
            let event = &heard.event;
            let why = format!("{event} comes before others, and does not get through{why}");
            return Err(stopped(happened, Some(why)));
        }
        last = Some(heard);
    }
    // There is at least one: the reader has seen to it.
    last.ok_or_else(|| {
        let (place, expected, happened) = (ready.case.place, Vec::new(), Vec::new());
        Box::new(Miss { place, expected, happened, why: Some("nothing came".to_owned()) })
    })
}

const fn goes_on(met: &Met) -> bool {
    matches!(met, Met::Decided(ErasedOutcome::Advance(_) | ErasedOutcome::Stay(_)))
}

fn outcome_lines(met: &Met) -> Vec<String> {
    let trees = met.trees();
    trees.first().map_or_else(Vec::new, |(key, value)| yaml::lines(key, value))
}

fn misses(ready: &Ready<'_>, heard: &Heard) -> Vec<Miss> {
    let then = &ready.case.then;
    let (wanted, found) = (wanted::wanted(then, &heard.from), heard.met.trees());
    let get = |key: &str| found.iter().find(|(known, _)| *known == key).map(|(_, value)| value);
    let mut misses = Vec::new();
    for (key, value) in &wanted {
        let found = get(key);
        let Some(place) = compare::difference(value, found) else { continue };
        let is_outcome = misses.is_empty() && *key == wanted[0].0;
        let shown = |found: &Plain| yaml::lines(key, &compare::projected(value, found));
        misses.push(Miss {
            place: place.unwrap_or(then.place),
            expected: yaml::lines(key, value),
            happened: match found {
                Some(found) => shown(found),
                None if is_outcome => outcome_lines(&heard.met),
                None => Vec::new(),
            },
            why: heard.met.why().filter(|_| is_outcome),
        });
        if is_outcome && found.is_none() {
            // It went another way: all else would only repeat that.
            break;
        }
    }
    misses
}
