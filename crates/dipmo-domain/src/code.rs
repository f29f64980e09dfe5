//! Codes of errors that reach a person: short, stable, each with a page in `docs/errors/`.

use std::fmt;

/// The name of an error that an operator can look up.
///
/// A test of the workspace checks that every code in the sources has a page and every page a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static str);

impl Code {
    /// A code is a slug such as `store-unreachable`; its page is `docs/errors/<code>.md`.
    #[must_use]
    pub const fn new(slug: &'static str) -> Self {
        Self(slug)
    }

    /// The slug itself, as it stands in `ERROR_CODE` columns and in logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// An error that a person may meet, and can therefore look up.
pub trait Coded: std::error::Error {
    /// The code of this error.
    fn code(&self) -> Code;

    /// One line for a terminal: the code, what happened, and where to read on.
    fn for_people(&self) -> String {
        let code = self.code();
        format!("error[{code}]: {self}\n  see docs/errors/{code}.md")
    }
}
