//! The names in what a case expects: one that is not there can never be met.

use super::expected::{Then, Written};
use crate::declared::unknown;
use crate::model::case::Target;
use crate::model::process::Process;
use crate::{Declared, Name, Problems, Upper, read};

/// Says which names of an expectation are not those of the process, and what cannot be expected together.
pub(super) fn check(then: &Then, process: &Process, declared: &Declared, problems: &mut Problems) {
    for target in then.goes.iter().flat_map(|goes| goes.iter()) {
        if let Target::State(name) = target {
            state(name, process, problems);
        }
    }
    only_with_goes(then, problems);
    let data = then.data.iter().flat_map(|data| data.iter());
    fields(data.map(|(name, _)| name), process, problems);
    for write in then.writes.iter().flat_map(|writes| writes.iter()) {
        written(write, declared, problems);
    }
    for timed in then.timers.iter().flat_map(|timers| timers.iter()) {
        for name in timed.set.iter().chain(&timed.cancel) {
            timer(name, process, problems);
        }
    }
}

/// Nothing is written and sent but by a step.
fn only_with_goes(then: &Then, problems: &mut Problems) {
    if then.goes.is_some() {
        return;
    }
    let named = [
        then.data.as_ref().map(|it| ("data", it.place)),
        then.writes.as_ref().map(|it| ("writes", it.place)),
        then.sends.as_ref().map(|it| ("sends", it.place)),
        then.timers.as_ref().map(|it| ("timers", it.place)),
        then.fails.as_ref().map(|it| ("fails", it.place)),
    ];
    for (key, place) in named.into_iter().flatten() {
        let message = format!("`{key}` is only there when the instance goes on");
        problems.push(read::invalid(place, message).hint("expect `goes`, or remove it"));
    }
}

/// A state of the process.
pub(super) fn state(name: &Upper, process: &Process, problems: &mut Problems) {
    if process.states.get(name).is_none() {
        problems.push(unknown("state", name, name.place, process.states.keys()));
    }
}

/// Fields of what an instance remembers.
pub(super) fn fields<'a>(
    names: impl Iterator<Item = &'a Name>,
    process: &Process,
    problems: &mut Problems,
) {
    for name in names {
        if process.data.get(name).is_none() {
            let known = process.data.0.iter().map(|field| field.name.as_str());
            problems.push(unknown("field of the data", name, name.place, known));
        }
    }
}

/// A timer that the process sets somewhere.
pub(super) fn timer(name: &Name, process: &Process, problems: &mut Problems) {
    let known: Vec<&str> = process.timer_changes().filter_map(|it| it.set.as_deref()).collect();
    if !known.contains(&name.as_str()) {
        problems.push(unknown("timer", name, name.place, known));
    }
}

fn written(write: &Written, declared: &Declared, problems: &mut Problems) {
    for name in write.upsert.iter().chain(&write.delete) {
        let Some(table) = declared.tables.get(name.as_str()) else {
            let known = declared.tables.keys().map(String::as_str);
            problems.push(unknown("table", name, name.place, known));
            continue;
        };
        for (column, _) in write.set.iter().filter(|(column, _)| table.column(column).is_none()) {
            let known = table.columns.iter().map(|column| column.name);
            problems.push(unknown("column", column, column.place, known));
        }
    }
    if let Some(name) = &write.statement {
        let Some(statement) = declared.statements.get(name.as_str()) else {
            let known = declared.statements.keys().map(String::as_str);
            problems.push(unknown("statement", name, name.place, known));
            return;
        };
        let known = || statement.parameters().iter().map(|(name, _)| *name);
        for (name, _) in write.with.iter().filter(|(name, _)| !known().any(|it| it == &***name)) {
            problems.push(unknown("parameter", name, name.place, known()));
        }
    }
}
