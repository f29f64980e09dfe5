//! What came of cases, for people.

use std::fmt::Write as _;

use dipmo_config::cases::{Coverage, Line, Miss, Ran, Report};
use dipmo_config::{Files, Place};

use crate::console::painted;

const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;

/// Beyond so many, those that are left are only counted.
const MOST: usize = 20;

/// A line for each case, what is not as expected, and how many there are. What no case takes is only told
/// when all were run.
pub(super) fn report(report: &Report, files: &Files, is_whole: bool, has_colour: bool) -> String {
    let mut text = String::new();
    for ran in &report.ran {
        case(&mut text, ran, files, has_colour);
    }
    let (passed, failed) = (report.passed(), report.failed());
    let summary = match failed {
        0 => painted(&format!("{passed} passed"), GREEN, has_colour),
        _ => format!("{passed} passed, {}", painted(&format!("{failed} failed"), RED, has_colour)),
    };
    let _ = write!(text, "\n{summary}");
    if is_whole {
        coverage(&mut text, &report.coverage, files, has_colour);
    }
    text
}

fn case(text: &mut String, ran: &Ran, files: &Files, has_colour: bool) {
    let mark = if ran.has_passed() {
        painted("✓", GREEN, has_colour)
    } else {
        painted("✗", RED, has_colour)
    };
    let _ = writeln!(text, "{mark} {}", ran.name);
    for one in &ran.misses {
        miss(text, one, files, has_colour);
    }
}

/// The place of what was expected, and both sides of it.
fn miss(text: &mut String, miss: &Miss, files: &Files, has_colour: bool) {
    let legend = match (&miss.expected[..], &miss.happened[..]) {
        ([], _) | (_, []) => String::new(),
        _ => format!(
            "  ({} expected, {} happened)",
            painted("-", RED, has_colour),
            painted("+", GREEN, has_colour)
        ),
    };
    let _ = writeln!(text, "    {}{legend}", at(files, miss.place));
    for line in miss.diff() {
        let line = match line {
            Line::Both(line) => format!("  {line}"),
            Line::Expected(line) => painted(&format!("- {line}"), RED, has_colour),
            Line::Happened(line) => painted(&format!("+ {line}"), GREEN, has_colour),
        };
        let _ = writeln!(text, "      {line}");
    }
    if let Some(why) = &miss.why {
        let _ = writeln!(text, "      {why}");
    }
}

fn coverage(text: &mut String, coverage: &Coverage, files: &Files, has_colour: bool) {
    let Coverage { all, left } = coverage;
    if left.is_empty() {
        let _ = write!(text, "; they take every one of the {all} cases of events");
        return;
    }
    let note = painted("note", YELLOW, has_colour);
    let _ = write!(text, "\n{note}: no test takes {} of {all} cases of events:", left.len());
    for way in left.iter().take(MOST) {
        let place = at(files, way.place);
        let (process, event, number, about) = (&way.process, &way.event, way.number, &way.about);
        let _ = write!(text, "\n    {place}  {process}, {event}, case {number}: {about}");
    }
    if left.len() > MOST {
        let _ = write!(text, "\n    and {} more", left.len() - MOST);
    }
}

fn at(files: &Files, place: Place) -> String {
    let position = files.position(place);
    format!("{}:{}:{}", files.name(place.file), position.line, position.column)
}
