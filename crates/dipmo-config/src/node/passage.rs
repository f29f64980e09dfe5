//! A text inside a scalar whose every character can be found in the file again.

use std::ops::Range;

use super::{Scalar, Style};
use crate::{Files, Place};

/// A text that another language is written in, such as CEL or SQL.
#[derive(Clone, Debug)]
pub struct Passage {
    /// The text, without quotes, escapes, indentation and folding.
    pub text: String,
    /// The whole scalar.
    pub place: Place,
    style: Style,
    /// How many bytes of the scalar come before the text.
    skip: usize,
}

impl Passage {
    /// The text of a scalar, without its first bytes.
    pub(crate) fn new(scalar: &Scalar, place: Place, skip: usize) -> Self {
        let text = scalar.text.get(skip..).unwrap_or("").to_owned();
        Self { text, place, style: scalar.style, skip }
    }

    /// Where a range of bytes of the text stands in the file; the whole scalar, if that cannot be told.
    #[must_use]
    pub fn locate(&self, files: &Files, range: Range<usize>) -> Place {
        let raw = files.slice(self.place);
        let steps = Aligner { raw, style: self.style }.starts(self.skip, &self.text);
        let Some(steps) = steps else { return self.place };
        let base = self.place.range().start;
        let at =
            |offset: usize| steps.get(offset.min(self.text.len())).copied().unwrap_or(raw.len());
        let (start, mut end) = (at(range.start), at(range.end));
        // What ends before a fold does not reach over it.
        if range.end > range.start
            && let Some(last) = self.text.get(..range.end).and_then(|text| text.chars().next_back())
        {
            let begin = at(range.end - last.len_utf8());
            if raw.get(begin..).is_some_and(|rest| rest.starts_with(last)) {
                end = begin + last.len_utf8();
            }
        }
        Place::new(self.place.file, base + start..base + end)
    }
}

/// Walks the scalar as it is written beside the scalar as it is meant.
struct Aligner<'a> {
    raw: &'a str,
    style: Style,
}

impl Aligner<'_> {
    /// For each byte of the text, and its end, the offset in what is written; `None` when both do not
    /// fit together.
    fn starts(&self, skip: usize, text: &str) -> Option<Vec<usize>> {
        let begin = self.begin().min(self.raw.len());
        let most = self.indent(begin);
        // With an indentation that is said, as in `|2`, the first line may be indented further.
        let said = self.raw[..begin].contains(|c: char| c.is_ascii_digit());
        let least = if said { 1.min(most) } else { most };
        (least..=most).rev().find_map(|indent| self.starts_with(begin, indent, skip, text))
    }

    fn starts_with(
        &self,
        mut at: usize,
        indent: usize,
        skip: usize,
        text: &str,
    ) -> Option<Vec<usize>> {
        if matches!(self.style, Style::Literal | Style::Folded) {
            at = self.after_indent(at, indent);
        }
        let mut starts = Vec::with_capacity(text.len() + 1);
        // The byte that is skipped is `=`; where it is an escape, what follows does not fit.
        at += skip;
        let mut rest = text;
        while let Some(next) = rest.chars().next() {
            // Whatever was written, nothing is looked up outside of it.
            if !self.raw.is_char_boundary(at) {
                return None;
            }
            at = self.joined(at);
            let here = at;
            let used = self.step(&mut at, next, rest, indent)?;
            starts.extend(std::iter::repeat_n(here, used));
            rest = &rest[used..];
        }
        starts.push(at.min(self.raw.len()));
        Some(starts)
    }

    /// Where the content begins: behind the quote, or behind the line of `|` or `>`.
    fn begin(&self) -> usize {
        match self.style {
            Style::Plain => 0,
            Style::Single | Style::Double => 1,
            Style::Literal | Style::Folded => {
                self.raw.find('\n').map_or(self.raw.len(), |at| at + 1)
            }
        }
    }

    /// By how much the first line of a block that is not empty is indented.
    fn indent(&self, begin: usize) -> usize {
        let first = self.raw[begin..].lines().find(|line| !line.trim().is_empty());
        first.map_or(0, |line| line.len() - line.trim_start_matches(' ').len())
    }

    fn after_indent(&self, at: usize, indent: usize) -> usize {
        let line = &self.raw[at..];
        at + line.bytes().take(indent).take_while(|byte| *byte == b' ').count()
    }

    /// A line that ends with a backslash in double quotes goes on without anything between.
    fn joined(&self, mut at: usize) -> usize {
        if self.style == Style::Double {
            while let Some(rest) = self.raw[at..]
                .strip_prefix("\\\n")
                .or_else(|| self.raw[at..].strip_prefix("\\\r\n"))
            {
                at = self.raw.len() - rest.trim_start_matches([' ', '\t']).len();
            }
        }
        at
    }

    /// One step: how many bytes of the text it makes.
    fn step(&self, at: &mut usize, next: char, rest: &str, indent: usize) -> Option<usize> {
        let raw = &self.raw[*at..];
        let one = next.len_utf8();
        match self.style {
            // The last line of a block ends, also where the file ends without a break.
            Style::Literal | Style::Folded if raw.is_empty() && next == '\n' => {}
            Style::Single if raw.starts_with("''") && next == '\'' => *at += 2,
            Style::Double if raw.starts_with('\\') => *at += escape_len(raw)?,
            Style::Literal if next == '\n' => *at = self.after_indent(self.line_end(*at)?, indent),
            Style::Folded if self.at_break(*at) => return self.fold_block(at, rest, indent),
            Style::Plain | Style::Single | Style::Double if self.flow_break(raw) => {
                return self.fold_flow(at, rest);
            }
            _ if raw.starts_with(next) => *at += one,
            _ => return None,
        }
        Some(one)
    }

    fn at_break(&self, at: usize) -> bool {
        self.raw[at..].starts_with(['\n', '\r'])
    }

    fn line_end(&self, at: usize) -> Option<usize> {
        self.raw[at..].find('\n').map(|more| at + more + 1)
    }

    /// True where nothing but blanks comes before the end of the line.
    fn flow_break(&self, raw: &str) -> bool {
        raw.trim_start_matches([' ', '\t']).starts_with(['\n', '\r'])
    }

    /// In a flow scalar one break is a blank, and each further one a line.
    fn fold_flow(&self, at: &mut usize, rest: &str) -> Option<usize> {
        let raw = &self.raw[*at..];
        *at = self.raw.len() - raw.trim_start_matches([' ', '\t', '\n', '\r']).len();
        whitespace(rest)
    }

    /// In a folded block breaks are a blank or lines; what is indented further keeps its blanks.
    fn fold_block(&self, at: &mut usize, rest: &str, indent: usize) -> Option<usize> {
        while self.at_break(*at) {
            *at = self.after_indent(self.line_end(*at)?, indent);
        }
        whitespace(rest)
    }
}

/// The lines, or the one blank, that a fold became.
fn whitespace(rest: &str) -> Option<usize> {
    let lines = rest.bytes().take_while(|byte| *byte == b'\n').count();
    let used = if lines > 0 { lines } else { usize::from(rest.starts_with(' ')) };
    (used > 0).then_some(used)
}

/// How long an escape in double quotes is.
fn escape_len(raw: &str) -> Option<usize> {
    let letter = raw.chars().nth(1)?;
    Some(match letter {
        'x' => 4,
        'u' => 6,
        'U' => 10,
        other => 1 + other.len_utf8(),
    })
}
