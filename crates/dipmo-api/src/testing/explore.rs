//! Exploration: every message in every state that can be reached, looking for what is not declared.

use std::any::Any;
use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::world::{Met, Row, World};
use super::{Scenario, TestMessage, show};
use crate::{Advanced, Edge, ErasedOutcome, Process, ProcessState};

/// So many different rows are enough: a process whose document grows for ever has no end.
const MOST_ROWS: usize = 10_000;

/// What an exploration saw.
#[derive(Clone, Debug)]
pub struct Explored {
    declared: &'static [Edge],
    taken: HashSet<(&'static str, &'static str)>,
    decisions: usize,
}

/// Sends every message to the instance in every state, and to every row that comes of it.
///
/// It begins without an instance, and with an instance in each state that has the context document
/// of the scenario. The facts of the scenario are there for every message.
///
/// # Panics
/// When a decision panics, or dipmo refuses what was decided: an edge that is not declared, an
/// effect or a write that does not fit. The message says in which state, and what came.
#[track_caller]
pub fn explore<P: Process>(scenario: Scenario<P>, messages: &[TestMessage]) -> Explored {
    let Scenario { world, row, .. } = scenario.state(P::State::INITIAL);
    let in_state = |state: &P::State| row.clone().map(|row| Row { state: state.name(), ..row });
    let mut open: VecDeque<_> =
        [None].into_iter().chain(P::State::ALL.iter().map(in_state)).collect();
    let mut seen = HashSet::new();
    let mut explored = Explored { declared: P::State::EDGES, taken: HashSet::new(), decisions: 0 };
    while let Some(row) = open.pop_front() {
        if seen.len() >= MOST_ROWS || !seen.insert(row.clone()) {
            continue;
        }
        let from = row.as_ref().map_or(P::State::INITIAL.name(), |row| row.state);
        for message in messages {
            explored.decisions += 1;
            if let Some(advanced) = step(&world, from, row.as_ref(), message) {
                explored.take(from, &advanced.path);
                // Rows that differ in their version alone are one row here.
                open.push_back(Some(Row { version: 1, ..Row::after(&advanced, None) }));
            }
        }
    }
    explored
}

impl Explored {
    /// How many decisions were made.
    #[must_use]
    pub const fn decisions(&self) -> usize {
        self.decisions
    }

    /// Every declared edge was taken: none is there for the diagram alone.
    ///
    /// # Panics
    /// When some were not, with their names.
    #[track_caller]
    pub fn then_every_edge_was_taken(&self) {
        let untaken = |edge: &&Edge| !self.taken.contains(&(edge.from, edge.to));
        let untaken: Vec<_> = self.declared.iter().filter(untaken).map(Edge::to_string).collect();
        assert!(untaken.is_empty(), "no message of this exploration takes {}", untaken.join(", "));
    }

    fn take(&mut self, from: &'static str, path: &[&'static str]) {
        path.iter().fold(from, |from, to| {
            self.taken.insert((from, to));
            to
        });
    }
}

#[track_caller]
fn step(world: &World, from: &str, row: Option<&Row>, message: &TestMessage) -> Option<Advanced> {
    let met = catch_unwind(AssertUnwindSafe(|| world.meet(row, message)));
    let event = &message.event_type;
    match met {
        Ok(Met::Decided(ErasedOutcome::Advance(advanced))) => Some(*advanced),
        Ok(Met::Decided(_)) => None,
        Ok(met @ (Met::Refused(_) | Met::Ignored)) => {
            panic!("in state {from}, on {event}: {}", show::met(&met))
        }
        Err(panic) => panic!("in state {from}, on {event}: it panicked: {}", text(&*panic)),
    }
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("(no text)")
}
