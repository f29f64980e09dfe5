//! Problems for people: the sentence, the place, the line itself, and what to do.
//!
//! Of our own, because a secret has to be blackened in the line, and a line may have a million characters.

use std::fmt::Write as _;

use super::snippet::Snippet;
use super::{Problem, Problems, Severity};
use crate::{Files, Place};

/// Whether a terminal reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// A file or a pipe.
    Never,
    /// A terminal.
    Always,
}

#[derive(Clone, Copy)]
enum Paint {
    Error,
    Warning,
    Frame,
    Bold,
}

impl Colour {
    fn paint(self, paint: Paint, text: &str) -> String {
        if self == Self::Never || text.is_empty() {
            return text.to_owned();
        }
        let number = match paint {
            Paint::Error => "1;31",
            Paint::Warning => "1;33",
            Paint::Frame => "1;34",
            Paint::Bold => "1",
        };
        format!("\u{1b}[{number}m{text}\u{1b}[0m")
    }
}

impl Problem {
    /// Some lines, the last of which ends.
    #[must_use]
    pub fn render(&self, files: &Files, colour: Colour) -> String {
        let paint = match self.severity {
            Severity::Error => Paint::Error,
            Severity::Warning => Paint::Warning,
        };
        let head = format!("{}[{}]", self.severity.as_str(), self.code);
        let message = colour.paint(Paint::Bold, &format!(": {}", self.message));
        let mut out = format!("{}{message}\n", colour.paint(paint, &head));
        let places = self.place.map(|place| (place, "", paint)).into_iter();
        let places =
            places.chain(self.also.iter().map(|(at, label)| (*at, label.as_str(), Paint::Frame)));
        for (place, label, paint) in places {
            section(&mut out, files, colour, (place, label, paint));
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "  {} {hint}", colour.paint(Paint::Bold, "hint:"));
        }
        let _ =
            writeln!(out, "  {} docs/errors/{}.md", colour.paint(Paint::Bold, "see:"), self.code);
        out
    }
}

impl Problems {
    /// Every problem, an empty line between them, and how many there are.
    #[must_use]
    pub fn render(&self, files: &Files, colour: Colour) -> String {
        let mut out = String::new();
        for problem in self {
            out.push_str(&problem.render(files, colour));
            out.push('\n');
        }
        if self.left_out() > 0 {
            let _ = writeln!(out, "and {} more\n", self.left_out());
        }
        out
    }
}

/// A place with its line.
fn section(
    out: &mut String,
    files: &Files,
    colour: Colour,
    (place, label, paint): (Place, &str, Paint),
) {
    let position = files.position(place);
    let name = files.name(place.file);
    let (line, column) = (position.line, position.column);
    let width = line.to_string().len();
    let bar = |text: &str| colour.paint(Paint::Frame, &format!("{text:>width$} |"));
    let arrow = colour.paint(Paint::Frame, &format!("{:width$}-->", ""));
    let _ = writeln!(out, "{arrow} {name}:{line}:{column}");
    let Some(snippet) = Snippet::of(files, place) else { return };
    let _ = writeln!(out, "{} {}", bar(&line.to_string()), snippet.text);
    let carets = "^".repeat(snippet.carets);
    let carets = colour.paint(paint, format!("{carets} {label}").trim_end());
    let _ = writeln!(out, "{} {:indent$}{carets}", bar(""), "", indent = snippet.indent);
}

#[cfg(test)]
mod tests {
    use super::super::codes;
    use super::*;

    #[test]
    fn colours_change_nothing_but_the_colours() {
        let mut files = Files::default();
        let file = files.add("dipmo.yaml", "dipmo: 1\nstoer: 2\n");
        let problem = Problem::error(codes::UNKNOWN_KEY, Place::new(file, 9..14), "no such key");
        let problem = problem.hint("use `store`").also(Place::new(file, 0..5), "see here");
        let plain = problem.render(&files, Colour::Never);
        let mut coloured = problem.render(&files, Colour::Always);
        assert_ne!(coloured, plain);
        for code in ["1;31", "1;34", "1", "0"] {
            coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(coloured, plain);
    }

    #[test]
    fn what_has_no_place_is_said_without_one() {
        let said = Problem::warning(codes::OVERLAY_IDLE, None, "nothing")
            .render(&Files::default(), Colour::Never);
        assert_eq!(
            said,
            "warning[config-overlay-idle]: nothing\n  see: docs/errors/config-overlay-idle.md\n"
        );
    }
}
