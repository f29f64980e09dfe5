//! What is wrong with an expression, before it runs and while it does.

use std::fmt;
use std::ops::Range;

use crate::fuel::Exhausted;

/// Something that is wrong with the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Which bytes of the source it is about.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What could help.
    pub hint: Option<String>,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Why an expression has no value this time.
///
/// The message names fields and types and never shows a value: values are payloads, and those are not logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which bytes of the source failed.
    pub span: Range<usize>,
    /// What failed.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// A range of the source that is small enough to be in every part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The limit on the source keeps both within 32 bits.
    pub(crate) const fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    pub(crate) const fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }

    pub(crate) const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(crate) fn flaw(self, message: impl Into<String>) -> Flaw {
        Flaw { span: self.range(), message: message.into(), hint: None }
    }

    /// Boxed, because results are passed through every level and failures are rare.
    pub(crate) fn failure(self, message: impl Into<String>) -> Box<Failure> {
        Box::new(Failure { span: self.range(), message: message.into() })
    }

    pub(crate) fn too_much_work(self) -> Box<Failure> {
        self.failure("too much work")
    }
}

/// What went wrong in a function, which does not know where in the source it stands.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// In words.
    Said(String),
    /// The arguments are of types that it does not take.
    Types,
    /// The fuel is at its end.
    Exhausted,
}

impl Trouble {
    pub(crate) fn said(message: impl Into<String>) -> Self {
        Self::Said(message.into())
    }
}

impl From<Exhausted> for Trouble {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}
