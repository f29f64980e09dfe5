//! The line that a problem is about, made fit to be shown.

use std::ops::Range;

use crate::{Files, Place};

/// A line, and what of it is meant.
pub(super) struct Snippet {
    /// What is shown of the line.
    pub(super) text: String,
    /// How many characters come before what is meant.
    pub(super) indent: usize,
    /// How many characters are meant.
    pub(super) carets: usize,
}

/// No more of a line is shown.
const WIDEST: usize = 120;
/// So much of a long line is shown before what is meant.
const BEFORE: usize = 40;
/// So many bytes have more characters than are shown.
const WINDOW: usize = 4 * WIDEST;
/// What stands for a secret, however long that is.
const BLACK: &str = "•••";

impl Snippet {
    pub(super) fn of(files: &Files, place: Place) -> Option<Self> {
        let position = files.position(place);
        let (start, line) = files.line(place.file, position.line)?;
        let from = place.range().start.checked_sub(start)?.min(line.len());
        let to = place.range().end.checked_sub(start)?.clamp(from, line.len());
        let part = |range: Range<usize>| {
            line.get(range.clone())?;
            Some(visible(files, place.file, start + range.start..start + range.end))
        };
        // Of a line of a megabyte no more is looked at than could be shown.
        let first = boundary(line, from.saturating_sub(WINDOW));
        let end = boundary(line, to.min(from.saturating_add(WINDOW)));
        let last = boundary(line, end.saturating_add(WINDOW).min(line.len()));
        let (before, meant, after) = (part(first..from)?, part(from..end)?, part(end..last)?);
        Some(Self::cut(&before, &meant, &after))
    }

    fn cut(before: &str, meant: &str, after: &str) -> Self {
        let length = |text: &str| text.chars().count();
        let too_long = length(before) + length(meant) + length(after) > WIDEST;
        let skip = if too_long { length(before).saturating_sub(BEFORE) } else { 0 };
        let mut text = if skip > 0 { "…".to_owned() } else { String::new() };
        text.extend(before.chars().skip(skip));
        let indent = length(&text);
        let room = WIDEST.saturating_sub(indent);
        text.extend(meant.chars().chain(after.chars()).take(room));
        if length(meant) + length(after) > room {
            text.push('…');
        }
        Self {
            text: text.trim_end().to_owned(),
            indent,
            carets: length(meant).clamp(1, room.max(1)),
        }
    }
}

/// The next place where a character begins.
fn boundary(line: &str, at: usize) -> usize {
    (at..line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(line.len())
}

/// A part of a line in which secrets are black.
fn visible(files: &Files, file: u16, range: Range<usize>) -> String {
    let (mut out, mut at) = (String::new(), range.start);
    let text = |range: Range<usize>| shown(files.text(file).get(range).unwrap_or(""));
    for secret in files.hidden(file) {
        let (from, to) = (secret.start.clamp(at, range.end), secret.end.clamp(at, range.end));
        if from < to {
            out.push_str(&text(at..from));
            out.push_str(BLACK);
            at = to;
        }
    }
    out.push_str(&text(at..range.end));
    out
}

/// One column for each character: tabs are blanks, and nothing steers the terminal.
fn shown(text: &str) -> String {
    let visible = |c: char| match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        // They turn the direction of what follows.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    };
    text.chars().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(text: &str, range: Range<usize>) -> Snippet {
        let mut files = Files::default();
        let file = files.add("a", text);
        Snippet::of(&files, Place::new(file, range)).unwrap()
    }

    #[test]
    fn a_line_of_a_million_characters_is_cut_around_what_is_meant() {
        let text = format!("{}HERE{}", "a".repeat(1_000_000), "b".repeat(1_000_000));
        let shown = snippet(&text, 1_000_000..1_000_004);
        assert_eq!((shown.indent, shown.carets), (BEFORE + 1, 4));
        assert!(shown.text.contains("aHEREb") && shown.text.chars().count() <= WIDEST + 1);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let shown = snippet("a\t\u{1b}[2Jb\u{202e}", 0..1);
        assert_eq!(shown.text, "a \u{fffd}[2Jb\u{fffd}");
    }

    #[test]
    fn a_secret_is_black_wherever_its_line_is_shown_and_its_length_is_not_told() {
        let mut files = Files::default();
        let file = files.add("a", "password: hush-hush, usr: x");
        let secret = Place::new(file, 10..19);
        files.hide(secret);
        let shown = Snippet::of(&files, secret).unwrap();
        assert_eq!(
            (shown.text.as_str(), shown.indent, shown.carets),
            ("password: •••, usr: x", 10, 3)
        );
        let other = Snippet::of(&files, Place::new(file, 21..24)).unwrap();
        assert_eq!(
            (other.text.as_str(), other.indent, other.carets),
            ("password: •••, usr: x", 15, 3)
        );
    }

    #[test]
    fn a_place_over_several_lines_shows_the_first() {
        let shown = snippet("a: >\n  x\n  y\n", 3..12);
        assert_eq!((shown.text.as_str(), shown.indent, shown.carets), ("a: >", 3, 1));
    }
}
