//! All effects of a process, wherever they are written.

use crate::model::action::{Send, Timer, Write};
use crate::model::case::Case;
use crate::model::process::Process;

/// Every case of every event.
pub(super) fn cases(process: &Process) -> impl Iterator<Item = &Case> {
    process.on.iter().flat_map(|(_, cases)| cases.iter())
}

/// What is sent, by actions and by cases.
pub(super) fn sends(process: &Process) -> impl Iterator<Item = &Send> {
    let of_actions = process.actions.iter().flat_map(|(_, action)| action.send.iter());
    of_actions.chain(cases(process).flat_map(|case| case.send.iter()))
}

/// What is written, by actions and by cases.
pub(super) fn writes(process: &Process) -> impl Iterator<Item = &Write> {
    let of_actions = process.actions.iter().flat_map(|(_, action)| action.write.iter());
    of_actions.chain(cases(process).flat_map(|case| case.write.iter()))
}

/// Timers that are set or cancelled, by actions and by cases.
pub(super) fn timers(process: &Process) -> impl Iterator<Item = &Timer> {
    let of_actions = process.actions.iter().flat_map(|(_, action)| action.timers.iter());
    of_actions.chain(cases(process).flat_map(|case| case.timers.iter()))
}
