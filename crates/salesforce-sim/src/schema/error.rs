//! What can be wrong with a schema file: found when it is read, never when a record comes.

use std::path::PathBuf;

use serde_saphyr::Location;
use thiserror::Error;

use super::suggest::did_you_mean;

/// A schema file that cannot be meant so.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// The file is no YAML, or not of the shape of a schema.
    #[error("line {line}, column {column}: {problem}")]
    Shape {
        /// Counted from 1.
        line: u64,
        /// Counted from 1.
        column: u64,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A definition that contradicts itself or another one.
    #[error("{}{place}: {problem}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
    Meaning {
        /// Where the definition begins, counted from 1, if that is known.
        line: Option<u64>,
        /// Such as `Contact.Email`.
        place: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A file in which something is wrong.
    #[error("{}: {problem}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        problem: Box<SchemaError>,
    },
    /// A file that cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

impl SchemaError {
    pub(super) fn meaning(place: impl Into<String>, problem: impl Into<String>) -> Self {
        SchemaError::Meaning { line: None, place: place.into(), problem: problem.into() }
    }

    /// The same with the line, unless it has a nearer one already.
    pub(super) fn at(self, location: Location) -> Self {
        match self {
            SchemaError::Meaning { line: None, place, problem } => {
                SchemaError::Meaning { line: Some(location.line()), place, problem }
            }
            other => other,
        }
    }
}

impl From<serde_saphyr::Error> for SchemaError {
    fn from(error: serde_saphyr::Error) -> Self {
        let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        SchemaError::Shape { line, column, problem: problem(&error) }
    }
}

fn problem(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error as Yaml;
    match error {
        Yaml::WithSnippet { error, .. } => problem(error),
        Yaml::SerdeUnknownField { field, expected, .. } => unknown("key", field, expected),
        Yaml::SerdeUnknownVariant { variant, expected, .. } => unknown("word", variant, expected),
        other => {
            // Its first line is the sentence; a picture of the file may follow.
            let text = other.to_string();
            text.lines().next().unwrap_or_default().to_owned()
        }
    }
}

fn unknown(what: &str, word: &str, expected: &[&'static str]) -> String {
    let hint = did_you_mean(word, expected.iter().copied());
    format!("unknown {what} {word:?}{hint} (known here: {})", expected.join(", "))
}
