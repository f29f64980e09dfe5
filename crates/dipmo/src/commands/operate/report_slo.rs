//! `dipmo report slo`: what was promised, and what is left of the budget.

use std::process::ExitCode;
use std::time::Duration;

use super::Ended;
use super::asking::{Desk, Request};
use super::show::field::Object;
use super::show::table::{Cell, Table};
use super::show::when::rough;
use crate::console::grouped;

/// A budget is used up, and the rest is as ever.
const USED_UP: u8 = 3;
const GREEN: u8 = 32;
const RED: u8 = 31;
const YELLOW: u8 = 33;

/// Looks, and ends as the worst budget says.
pub(super) async fn run(desk: &Desk) -> Ended {
    let told = desk.ask(&Request::get(&["reports", "slo"])).await?;
    desk.print(&told, |report| text(desk, report));
    let report = desk.object(&told);
    for objective in report.list("/objectives") {
        if let Some(seconds) = objective.seconds("/used_up_in_seconds").filter(|it| *it > 0) {
            let after = rough(Duration::from_secs(seconds));
            desk.note(&format!(
                "{}: at this rate the budget is used up in {after}",
                name(objective)
            ));
        }
    }
    if report.list("/objectives").next().is_some() {
        desk.note("next: dipmo report ageing, dipmo failures list, dipmo destination list");
    }
    let used_up = report.list("/objectives").any(|it| it.text("/used_up") == "true");
    Ok(if used_up { ExitCode::from(USED_UP) } else { ExitCode::SUCCESS })
}

fn text(desk: &Desk, report: Object<'_>) -> String {
    let mut table = Table::new(&[
        "promised",
        ">target",
        ">kept",
        ">good",
        ">bad",
        ">budget",
        ">left",
        ">burn 1h",
        ">burn 6h",
        "counted since",
    ]);
    for row in report.list("/objectives") {
        table.row([
            Cell::from(name(row)),
            Cell::from(percent(row, "/target")),
            Cell::from(percent(row, "/share")),
            Cell::from(grouped(row.number("/good"))),
            Cell::from(grouped(row.number("/used"))),
            Cell::from(decimal(row, "/allowed")),
            left(row),
            Cell::from(decimal(row, "/burn_1h")),
            Cell::from(decimal(row, "/burn_6h")),
            since(row),
        ]);
    }
    let Some(window) = report.seconds("/window_seconds") else {
        return "nothing is promised: the configuration has no `slo`".to_owned();
    };
    let days = rough(Duration::from_secs(window));
    format!("Over the last {days}:\n{}", desk.shown(&table))
}

/// The objective, and its time.
fn name(row: Object<'_>) -> String {
    let (name, within) = (row.text("/objective"), float(row, "/within_seconds"));
    within.map_or(name.clone(), |within| format!("{name} within {}s", trimmed(within, 3)))
}

fn left(row: Object<'_>) -> Cell {
    let colour = match float(row, "/left") {
        _ if row.text("/used_up") == "true" => Some(RED),
        Some(left) if left < 0.5 => Some(YELLOW),
        Some(_) => Some(GREEN),
        None => None,
    };
    let text = float(row, "/left").map_or_else(String::new, |left| format!("{:.0}%", left * 100.0));
    Cell::coloured(&text, colour)
}

/// An hour begins at a full minute: the rest of the time says nothing.
fn since(row: Object<'_>) -> Cell {
    let minute = row.text("/since").get(..16).map(|minute| format!("{minute}Z"));
    Cell::from(minute.unwrap_or_else(|| "nothing yet".to_owned()))
}

fn float(row: Object<'_>, pointer: &str) -> Option<f64> {
    row.text(pointer).parse().ok()
}

fn percent(row: Object<'_>, pointer: &str) -> String {
    float(row, pointer).map_or_else(String::new, |it| format!("{}%", trimmed(it * 100.0, 4)))
}

fn decimal(row: Object<'_>, pointer: &str) -> String {
    float(row, pointer).map_or_else(String::new, |it| trimmed(it, 1))
}

/// So many digits behind the point at most, and none that says nothing.
fn trimmed(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::trimmed;

    #[test]
    fn digits_that_say_nothing_are_left_out() {
        let cases = [(99.95, 4, "99.95"), (100.0, 4, "100"), (0.04, 1, "0"), (60.0, 0, "60")];
        for (number, digits, expected) in cases {
            assert_eq!(trimmed(number, digits), expected);
        }
    }
}
