//! The states of a process and the steps between them: what the diagram shows, and what is wrong with it.

use std::collections::BTreeSet;

use dipmo_api::Edge;

use crate::declared::intern::intern;
use crate::model::case::{Case, Target};
use crate::model::process::Process;
use crate::problem::{Problem, codes};
use crate::{Name, Problems, Upper};

/// The steps that cases take, each once, in the order of the file, and whether somebody named each.
pub(super) struct Graph(Vec<(Edge, bool)>);

impl Graph {
    pub(super) fn of(process: &Process) -> Self {
        let mut graph = Self(Vec::new());
        for (event, cases) in process.on.iter() {
            for case in cases.iter() {
                graph.add(process, event, case);
            }
        }
        graph
    }

    fn add(&mut self, process: &Process, event: &Name, case: &Case) {
        let known = |state: &str| process.states.get(state).is_some();
        let from: Vec<&str> = if case.states.is_empty() {
            process.states.iter().map(|(name, _)| name.as_str()).collect()
        } else {
            case.states.iter().map(Upper::as_str).filter(|state| known(state)).collect()
        };
        let label = case.name.as_ref().map_or(event.as_str(), |name| name.value.as_str());
        let is_named = case.name.is_some();
        if let [Target::Same(_)] = &case.go[..] {
            from.iter().for_each(|state| self.step(state, state, label, is_named));
            return;
        }
        let path: Vec<&str> = case
            .go
            .iter()
            .filter_map(|target| match target {
                Target::State(state) => Some(state.as_str()).filter(|state| known(state)),
                Target::Same(_) => None,
            })
            .collect();
        let Some(first) = path.first() else { return };
        from.iter().for_each(|state| self.step(state, first, label, is_named));
        // What follows in the same step follows from the event, and not from what its first part is called.
        for pair in path.windows(2) {
            self.step(pair[0], pair[1], event, false);
        }
    }

    /// A name that somebody gave counts for more than that of an event.
    fn step(&mut self, from: &str, to: &str, label: &str, is_named: bool) {
        let edge = Edge { from: intern(from), to: intern(to), label: Some(intern(label)) };
        match self.0.iter_mut().find(|(known, _)| (known.from, known.to) == (from, to)) {
            None => self.0.push((edge, is_named)),
            Some(known) if is_named && !known.1 => *known = (edge, true),
            Some(_) => {}
        }
    }

    pub(super) fn edges(&self) -> Vec<Edge> {
        self.0.iter().map(|(edge, _)| *edge).collect()
    }

    /// States that nobody comes to, and states that nobody leaves though they are not the end. Says nothing
    /// while a name is wrong: that is said already, and the rest may follow from it.
    pub(super) fn check(&self, name: &Upper, process: &Process, problems: &mut Problems) {
        if names_a_stranger(process) {
            return;
        }
        let reached = self.reached(&process.initial);
        for (state, declared) in process.states.iter() {
            if !reached.contains(state.as_str()) {
                let message = format!("no case of {name} leads to {state}");
                let hint = "name it in a `go`, or remove it";
                let problem = Problem::error(codes::STATE_UNREACHABLE, state.place, message);
                problems.push(problem.hint(hint));
            }
            let is_final = declared.is_final.as_ref().is_some_and(|is_final| **is_final);
            let leaves =
                self.edges().iter().any(|it| it.from == state.as_str() && it.from != it.to);
            if !leaves && !is_final {
                let message = format!("an instance of {name} never leaves {state}");
                let hint = "add a case with `go`, or mark the state with `final: true`";
                let problem = Problem::error(codes::STATE_DEAD_END, state.place, message);
                problems.push(problem.hint(hint));
            }
        }
        let unheard = process.events.iter().filter(|(event, _)| process.on.get(event).is_none());
        for (event, _) in unheard {
            let message = format!("{name} has no case for the event {event}");
            let hint = "such a message is rejected; add it under `on`, or remove the event";
            problems.push(Problem::warning(codes::EVENT_UNUSED, event.place, message).hint(hint));
        }
    }

    fn reached(&self, initial: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::from([intern(initial)]);
        loop {
            let more: Vec<&str> = self
                .0
                .iter()
                .map(|(edge, _)| edge)
                .filter(|edge| reached.contains(edge.from) && !reached.contains(edge.to))
                .map(|edge| edge.to)
                .collect();
            if more.is_empty() {
                return reached.into_iter().collect();
            }
            reached.extend(more);
        }
    }
}

/// True when a case or the beginning names a state that is not declared.
fn names_a_stranger(process: &Process) -> bool {
    let cases = || process.on.iter().flat_map(|(_, cases)| cases.iter());
    let entered = cases().flat_map(|case| case.go.iter()).filter_map(|target| match target {
        Target::State(state) => Some(state),
        Target::Same(_) => None,
    });
    let left = cases().flat_map(|case| case.states.iter());
    let mut named = entered.chain(left).chain(std::iter::once(&process.initial));
    named.any(|state| process.states.get(state).is_none())
}
