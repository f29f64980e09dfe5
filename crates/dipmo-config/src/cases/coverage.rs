//! Which ways through the processes the cases take.

use std::collections::BTreeSet;

use crate::model::case::Case;
use crate::{Config, Place, Upper};

/// The cases of events that were taken, and those that were not.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// How many there are.
    pub all: usize,
    /// Those that nothing took, in the order of the file.
    pub left: Vec<Way>,
}

/// A case of an event in `dipmo.yaml`.
#[derive(Clone, Debug)]
pub struct Way {
    /// The process.
    pub process: String,
    /// The event.
    pub event: String,
    /// Which case of the event it is, from 1.
    pub number: usize,
    /// What it is for and what it does, in a few words.
    pub about: String,
    /// Where it stands.
    pub place: Place,
}

/// Process, event and number of a case that was taken.
pub(super) type Taken = BTreeSet<(String, String, usize)>;

impl Coverage {
    pub(super) fn of(config: &Config, taken: &Taken) -> Self {
        let mut coverage = Self::default();
        for (process, declared) in config.processes.iter() {
            for (event, cases) in declared.on.iter() {
                for (at, case) in cases.iter().enumerate() {
                    coverage.all += 1;
                    let way = (process.to_string(), event.to_string(), at);
                    if !taken.contains(&way) {
                        let (process, event, number) = (way.0, way.1, at + 1);
                        let (about, place) = (about(case), case.place);
                        coverage.left.push(Way { process, event, number, about, place });
                    }
                }
            }
        }
        coverage
    }
}

fn about(case: &Case) -> String {
    let states: Vec<&str> = case.states.iter().map(Upper::as_str).collect();
    let place = if states.is_empty() { "in any state".to_owned() } else { states.join(", ") };
    match &case.when {
        Some(when) => format!("{place}, when {}", crate::node::cut(when.text.trim())),
        None => place,
    }
}
