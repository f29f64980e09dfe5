//! Errors as people read them.

use std::fmt;

use dipmo_config::{Colour, Files, Problem, Problems};
use dipmo_domain::Coded;

/// An error that has its own way to be shown, with a code and a page.
#[derive(Debug)]
struct Shown(String);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Shown {}

/// An error with a code, in the words of [`Coded::for_people`].
pub(crate) fn for_people(error: &impl Coded) -> anyhow::Error {
    Shown(error.for_people()).into()
}

/// All that is wrong with a configuration.
pub(crate) fn problems(problems: &Problems, files: &Files) -> anyhow::Error {
    Shown(problems.render(files, Colour::Never)).into()
}

/// One thing that is wrong with it.
pub(crate) fn problem(problem: &Problem, files: &Files) -> anyhow::Error {
    Shown(problem.render(files, Colour::Never)).into()
}

/// The line to print for an error: those with a code begin like all others.
pub(crate) fn line(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Shown>() {
        Some(shown) => shown.to_string(),
        None => format!("error: {error:#}"),
    }
}
