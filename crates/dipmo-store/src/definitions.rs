//! States that come and go with the definitions of a process, and instances that stand in one that
//! went.
//!
//! Instances of two versions share a database during an upgrade, and either may start at any time. So
//! a store keeps the definitions that it was ever given, in the order in which they came first. That
//! tells apart a state that was taken away from one that this version does not know yet: the first
//! needs somebody to say what becomes of its instances, the second is business of the newer version.

use std::collections::BTreeMap;

use dipmo_api::table::ProcessTable;
use dipmo_domain::StoreError;

use crate::Tables;

/// How many ids a [`Stray`] names.
pub const STRAY_IDS: usize = 20;

/// What becomes of instances in states that are gone: process, old state, new state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateMapping(BTreeMap<String, BTreeMap<String, String>>);

impl StateMapping {
    /// Says that instances of a process that stand in `from` go to `to`.
    #[must_use]
    pub fn and(mut self, process: &str, from: &str, to: &str) -> Self {
        self.0.entry(process.to_owned()).or_default().insert(from.to_owned(), to.to_owned());
        self
    }

    /// Old and new states of a process.
    pub fn of(&self, process: &str) -> impl Iterator<Item = (&str, &str)> {
        self.0.get(process).into_iter().flatten().map(|(from, to)| (&**from, &**to))
    }

    /// The old states of a process.
    #[must_use]
    pub fn gone(&self, process: &str) -> Vec<&str> {
        self.of(process).map(|(from, _)| from).collect()
    }

    /// Checks the mapping against the definitions.
    ///
    /// # Errors
    /// [`StoreError::MappingInvalid`] when a process is not defined, an old state is still one of its
    /// states, or a new one is not.
    pub fn check(&self, tables: &Tables) -> Result<(), StoreError> {
        for (process, states) in &self.0 {
            let Some(table) = tables.process(process) else {
                return Err(invalid(format!("there is no process {process}")));
            };
            for (from, to) in states {
                if has(table, from) {
                    return Err(invalid(format!("{process} still has the state {from}")));
                }
                if !has(table, to) {
                    let states = table.states.join(", ");
                    return Err(invalid(format!(
                        "{process} has no state {to}; its states are {states}"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Lets nobody be forgotten: every instance in a state that is gone is mapped.
    ///
    /// # Errors
    /// [`StoreError::StatesGone`] with those that are not.
    pub fn cover(&self, strays: &[Stray]) -> Result<(), StoreError> {
        let mapped = |stray: &Stray| self.of(&stray.process).any(|(from, _)| from == stray.state);
        let left: Vec<_> =
            strays.iter().filter(|it| !it.newer && !mapped(it)).map(Stray::show).collect();
        if left.is_empty() {
            return Ok(());
        }
        Err(StoreError::StatesGone { strays: left.join("; ") })
    }
}

/// Instances of a process in a state that its definition does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    /// The process.
    pub process: String,
    /// The state in which they stand.
    pub state: String,
    /// How many.
    pub count: u64,
    /// Some of them, at most [`STRAY_IDS`], in the order of their text.
    pub ids: Vec<String>,
    /// True when a definition that came after this one has the state. These instances are in good
    /// hands as long as a newer version runs, and `migrate` does not mind them.
    pub newer: bool,
}

impl Stray {
    fn show(&self) -> String {
        let Self { process, state, count, ids, .. } = self;
        let first: Vec<_> = ids.iter().take(3).map(String::as_str).collect();
        let more = if *count > 3 { ", …" } else { "" };
        format!("{process} has {count} in {state} ({}{more})", first.join(", "))
    }
}

/// A definition of a process that was installed once, as far as its states go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Counts up from 1 with each set of states that came new.
    pub generation: u32,
    /// Its states as [`fingerprint`] writes them.
    pub states: String,
    /// True when `migrate` has seen since that nobody stands in a state that is gone, and no older
    /// version has started after that.
    pub settled: bool,
}

/// The states of a definition, whatever their order.
#[must_use]
pub fn fingerprint(table: &ProcessTable) -> String {
    let mut states = table.states.clone();
    states.sort_unstable();
    states.join(" ")
}

/// All definitions of one process that were ever installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions(pub Vec<Definition>);

impl Definitions {
    /// This definition, if it was installed before.
    #[must_use]
    pub fn find(&self, table: &ProcessTable) -> Option<&Definition> {
        let states = fingerprint(table);
        self.0.iter().find(|known| known.states == states)
    }

    /// The generation of this definition: a new one is later than all others.
    #[must_use]
    pub fn generation(&self, table: &ProcessTable) -> u32 {
        let newest = self.0.iter().map(|known| known.generation).max().unwrap_or(0);
        self.find(table).map_or(newest + 1, |known| known.generation)
    }

    /// True when a definition that came after this one has a state.
    #[must_use]
    pub fn has_later(&self, table: &ProcessTable, state: &str) -> bool {
        let ours = self.generation(table);
        let later = self.0.iter().filter(|known| known.generation > ours);
        later.flat_map(|known| known.states.split(' ')).any(|known| known == state)
    }

    /// Whether `migrate` must look for instances in states that are gone: the table allows one
    /// (`None`: nobody knows what it allows), and it was not seen yet that nobody stands in it.
    #[must_use]
    pub fn must_look(&self, table: &ProcessTable, allowed: Option<&[String]>) -> bool {
        let is_gone = |state: &String| !has(table, state) && !self.has_later(table, state);
        allowed.is_none_or(|allowed| allowed.iter().any(is_gone))
            && !self.find(table).is_some_and(|known| known.settled)
    }
}

/// True when a table that allows these states may have instances in one that its definition lacks.
#[must_use]
pub fn may_stray(table: &ProcessTable, allowed: Option<&[String]>) -> bool {
    allowed.is_none_or(|allowed| allowed.iter().any(|state| !has(table, state)))
}

fn has(table: &ProcessTable, state: &str) -> bool {
    table.states.contains(&state)
}

const fn invalid(problem: String) -> StoreError {
    StoreError::MappingInvalid { problem }
}

#[cfg(test)]
mod tests;
