//! What can be wrong with SQL before a database has seen it.

use std::fmt;

use dipmo_domain::{Code, Coded};
use thiserror::Error;

/// A part of a text, in bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The first byte.
    pub start: usize,
    /// Behind the last byte.
    pub end: usize,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlProblem {
    /// What it is, and what would be right.
    pub problem: String,
    /// Where it stands in the text; `None` when it is not in the text but in what was declared.
    pub place: Option<Place>,
    /// The name that it is about: that of a parameter, without its colon, or of a column.
    pub name: Option<String>,
}

/// SQL that cannot be used: all that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the SQL of {name}: {}", Listed(.problems))]
pub struct SqlError {
    /// The query or the statement.
    pub name: String,
    /// What is wrong, in the order of the text.
    pub problems: Vec<SqlProblem>,
}

impl SqlProblem {
    pub(super) const fn at(place: Place, problem: String) -> Self {
        Self { problem, place: Some(place), name: None }
    }

    pub(super) fn declared(name: &str, problem: String) -> Self {
        Self { problem, place: None, name: Some(name.to_owned()) }
    }

    pub(super) fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }
}

impl Coded for SqlError {
    fn code(&self) -> Code {
        Code::new("sql-invalid")
    }
}

struct Listed<'a>(&'a [SqlProblem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, SqlProblem { problem, place, .. }) in self.0.iter().enumerate() {
            let between = if at == 0 { "" } else { "; " };
            match place {
                Some(place) => write!(f, "{between}{problem} (at byte {})", place.start)?,
                None => write!(f, "{between}{problem}")?,
            }
        }
        Ok(())
    }
}
