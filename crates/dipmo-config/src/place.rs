//! Where something stands: a file and a range of bytes in it. Lines and columns are counted on demand.

use std::fmt;
use std::ops::{Deref, Range};

/// A range of bytes in one of the [`Files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The number of the file.
    pub file: u16,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Place {
    /// A place from offsets; what lies beyond the largest file that is read is cut.
    pub(crate) fn new(file: u16, range: Range<usize>) -> Self {
        let cut = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { file, start: cut(range.start), end: cut(range.end.max(range.start)) }
    }

    /// Its bytes.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Line and column of a place, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// The files that were read: the main one first, then the overlays.
#[derive(Clone, Debug, Default)]
pub struct Files(Vec<File>);

#[derive(Clone, Debug)]
struct File {
    name: String,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
    /// What is never shown, in the order of the text.
    hidden: Vec<Range<usize>>,
}

impl Files {
    /// Adds a file and gives its number.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> u16 {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        self.0.push(File {
            name: name.to_owned(),
            text: text.to_owned(),
            lines,
            hidden: Vec::new(),
        });
        u16::try_from(self.0.len() - 1).unwrap_or(u16::MAX)
    }

    /// Keeps a place from ever being shown.
    pub(crate) fn hide(&mut self, secret: Place) {
        if let Some(file) = self.0.get_mut(usize::from(secret.file)) {
            file.hidden.push(secret.range());
            file.hidden.sort_by_key(|range| range.start);
        }
    }

    /// What is never shown of a file, in its order.
    pub(crate) fn hidden(&self, file: u16) -> &[Range<usize>] {
        self.0.get(usize::from(file)).map_or(&[], |file| &file.hidden)
    }

    /// The name of a file, as it was given.
    #[must_use]
    pub fn name(&self, file: u16) -> &str {
        self.0.get(usize::from(file)).map_or("", |file| &file.name)
    }

    /// The whole text of a file.
    #[must_use]
    pub fn text(&self, file: u16) -> &str {
        self.0.get(usize::from(file)).map_or("", |file| &file.text)
    }

    /// What stands at a place.
    #[must_use]
    pub fn slice(&self, place: Place) -> &str {
        self.text(place.file).get(place.range()).unwrap_or("")
    }

    /// Line and column of the beginning of a place.
    #[must_use]
    pub fn position(&self, place: Place) -> Position {
        self.position_at(place.file, place.range().start)
    }

    /// Line and column of the end of a place.
    #[must_use]
    pub fn end_position(&self, place: Place) -> Position {
        self.position_at(place.file, place.range().end)
    }

    fn position_at(&self, file: u16, offset: usize) -> Position {
        let Some(file) = self.0.get(usize::from(file)) else {
            return Position { line: 1, column: 1 };
        };
        let line = file.lines.partition_point(|start| *start <= offset).max(1);
        let before = file.text.get(file.lines[line - 1]..offset.min(file.text.len()));
        Position { line, column: before.map_or(1, |before| before.chars().count() + 1) }
    }

    /// A line without its end, and the offset where it begins. Lines count from 1.
    #[must_use]
    pub fn line(&self, file: u16, line: usize) -> Option<(usize, &str)> {
        let file = self.0.get(usize::from(file))?;
        let start = *file.lines.get(line.checked_sub(1)?)?;
        let end = file.lines.get(line).map_or(file.text.len(), |next| next - 1);
        Some((start, file.text.get(start..end)?.trim_end_matches('\r')))
    }
}

/// A value, and where it was written.
#[derive(Clone, Copy)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_may_end_as_on_windows() {
        let mut files = Files::default();
        let file = files.add("a.yaml", "one: 1\r\nzwö: é x\n");
        let at = files.text(file).find('x').unwrap();
        let position = files.position(Place::new(file, at..at + 1));
        assert_eq!(position, Position { line: 2, column: 8 });
        assert_eq!(files.line(file, 1), Some((0, "one: 1")));
        assert_eq!(files.line(file, 3), Some((files.text(file).len(), "")));
        assert_eq!(files.line(file, 4), None);
    }

    #[test]
    fn a_place_outside_of_its_file_is_answered_for() {
        let mut files = Files::default();
        let file = files.add("a.yaml", "é");
        for place in
            [Place::new(file, 1..9), Place { file, start: 90, end: 80 }, Place::new(7, 0..1)]
        {
            assert_eq!(files.slice(place), "");
            assert_eq!(files.position(place).line, 1);
        }
    }
}
