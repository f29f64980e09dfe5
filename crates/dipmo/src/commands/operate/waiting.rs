//! How much waits, by side and destination, as lines of a table.

use std::time::Duration;

use super::show::field::Object;
use super::show::table::{Cell, Table};
use super::show::when::rough;
use super::steer;
use crate::console::grouped;

/// The columns.
pub(crate) const COLUMNS: [&str; 9] =
    ["where", ">ready", ">retrying", ">held", ">parked", ">failed", ">oldest", "jobs", "note"];

const RED: u8 = 31;

/// The line of the inbox.
pub(crate) fn inbox(table: &mut Table, backlog: Object<'_>) {
    line(table, "inbox", backlog.below("inbox"), [String::new(), String::new()]);
}

/// A line for each destination for which something waits, or that rests.
pub(crate) fn destinations(table: &mut Table, backlog: Object<'_>) {
    let paused = backlog.below("paused").below("destinations");
    for (destination, waiting) in backlog.below("outbox").fields() {
        let jobs = backlog.below("jobs").below(destination);
        let jobs = match jobs.number("/jobs") {
            0 => String::new(),
            count => format!("{count}, the oldest {}", age(jobs)),
        };
        let note = steer::note(backlog, destination);
        line(table, destination, waiting, [jobs, note]);
    }
    for (destination, _) in paused.fields() {
        let waiting = backlog.below("outbox").below(destination);
        if waiting.fields().next().is_none() {
            line(table, destination, waiting, [String::new(), steer::note(backlog, destination)]);
        }
    }
}

fn line(table: &mut Table, place: &str, waiting: Object<'_>, [jobs, note]: [String; 2]) {
    let count = |name: &str| Cell::from(grouped(waiting.number(name)));
    let failed = waiting.number("/failed");
    let colour = (failed > 0).then_some(RED);
    table.row([
        Cell::from(place),
        count("/ready"),
        count("/retrying"),
        count("/held"),
        count("/parked"),
        Cell::coloured(&grouped(failed), colour),
        Cell::from(age(waiting)),
        Cell::from(jobs),
        Cell::from(note),
    ]);
}

/// How long the oldest has waited that could be worked on.
pub(crate) fn age(waiting: Object<'_>) -> String {
    let seconds = waiting.seconds("/oldest_age_seconds");
    seconds.map_or_else(String::new, |seconds| rough(Duration::from_secs(seconds)))
}
