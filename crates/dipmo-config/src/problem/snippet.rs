//! The line that a problem is about, made fit to be shown.

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
/// What stands for a secret, however long that is.
const BLACK: &str = "•••";

impl Snippet {
    pub(super) fn of(files: &Files, place: Place, hidden: bool) -> Option<Self> {
        let position = files.position(place);
        let (start, line) = files.line(place.file, position.line)?;
        let from = place.range().start.checked_sub(start)?.min(line.len());
        let to = place.range().end.checked_sub(start)?.clamp(from, line.len());
        let (before, meant, after) = (line.get(..from)?, line.get(from..to)?, line.get(to..)?);
        let (before, after) = (shown(before), shown(after));
        let meant = if hidden { BLACK.to_owned() } else { shown(meant) };
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

    fn snippet(text: &str, range: std::ops::Range<usize>, hidden: bool) -> Snippet {
        let mut files = Files::default();
        let file = files.add("a", text);
        Snippet::of(&files, Place::new(file, range), hidden).unwrap()
    }

    #[test]
    fn a_line_of_a_million_characters_is_cut_around_what_is_meant() {
        let text = format!("{}HERE{}", "a".repeat(1_000_000), "b".repeat(1_000_000));
        let shown = snippet(&text, 1_000_000..1_000_004, false);
        assert_eq!((shown.indent, shown.carets), (BEFORE + 1, 4));
        assert!(shown.text.contains("aHEREb") && shown.text.chars().count() <= WIDEST + 1);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let shown = snippet("a\t\u{1b}[2Jb\u{202e}", 0..1, false);
        assert_eq!(shown.text, "a \u{fffd}[2Jb\u{fffd}");
    }

    #[test]
    fn a_secret_is_black_and_its_length_is_not_told() {
        let shown = snippet("password: hush-hush", 10..19, true);
        assert_eq!((shown.text.as_str(), shown.carets), ("password: •••", 3));
    }

    #[test]
    fn a_place_over_several_lines_shows_the_first() {
        let shown = snippet("a: >\n  x\n  y\n", 3..12, false);
        assert_eq!((shown.text.as_str(), shown.indent, shown.carets), ("a: >", 3, 1));
    }
}
