//! SQL in pieces, with places for parameters.

use super::problem::Place;
use super::{CheckedQuery, CheckedStatement, ValueKind};

/// A text that was read once: pieces of it, and parameters between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    pieces: Vec<Piece>,
}

/// A part of the text, as it is or to be replaced by a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) place: Place,
    /// Which of the declared parameters it is.
    pub(super) parameter: Option<usize>,
}

impl Template {
    pub(super) const fn new(text: String, pieces: Vec<Piece>) -> Self {
        Self { text, pieces }
    }

    /// The text as its author wrote it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text with a placeholder for each parameter, which is given as its place among those that
    /// were declared; without a semicolon at its end.
    #[must_use]
    pub fn render(&self, placeholder: impl Fn(usize) -> String) -> String {
        self.pieces.iter().map(|piece| self.rendered(piece, &placeholder)).collect()
    }

    /// What stands in the author's text where something stands in the rendered one, given in bytes.
    #[must_use]
    pub fn place_of(
        &self,
        rendered: usize,
        placeholder: impl Fn(usize) -> String,
    ) -> Option<Place> {
        let mut before = 0;
        for piece in &self.pieces {
            let length = self.rendered(piece, &placeholder).len();
            if rendered < before + length {
                return Some(match piece.parameter {
                    Some(_) => piece.place,
                    None => self.word_at(piece.place.start + rendered - before),
                });
            }
            before += length;
        }
        let end = self.pieces.last()?.place.end;
        (rendered == before).then_some(Place { start: end, end })
    }

    fn rendered(&self, piece: &Piece, placeholder: impl Fn(usize) -> String) -> String {
        let Place { start, end } = piece.place;
        piece.parameter.map_or_else(|| self.text[start..end].to_owned(), placeholder)
    }

    /// The word that begins at a place, or the one character.
    fn word_at(&self, start: usize) -> Place {
        let rest = self.text.get(start..).unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let word: usize = rest.chars().take_while(|c| is_part(*c)).map(char::len_utf8).sum();
        let length = if word == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { word };
        Place { start, end: start + length }
    }
}

/// A query or a statement, for whoever treats both alike.
#[derive(Clone, Copy, Debug)]
pub enum UserSql<'a> {
    /// SQL that reads.
    Query(&'a CheckedQuery),
    /// SQL that writes.
    Statement(&'a CheckedStatement),
}

impl<'a> UserSql<'a> {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Query(query) => query.name(),
            Self::Statement(statement) => statement.name(),
        }
    }

    /// The parameters, in the order in which they were declared.
    #[must_use]
    pub fn parameters(self) -> &'a [(&'static str, ValueKind)] {
        match self {
            Self::Query(query) => query.parameters(),
            Self::Statement(statement) => statement.parameters(),
        }
    }

    /// The text.
    #[must_use]
    pub const fn template(self) -> &'a Template {
        match self {
            Self::Query(query) => query.template(),
            Self::Statement(statement) => statement.template(),
        }
    }

    /// What it is called in an error: `query open_hits (:customer)`.
    #[must_use]
    pub fn title(self) -> String {
        let word = match self {
            Self::Query(_) => "query",
            Self::Statement(_) => "statement",
        };
        let names: Vec<_> = self.parameters().iter().map(|(name, _)| format!(":{name}")).collect();
        format!("{word} {} ({})", self.name(), names.join(", "))
    }
}
