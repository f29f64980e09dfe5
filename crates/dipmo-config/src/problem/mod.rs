//! What is wrong with a configuration: a code, a sentence, a place and what to do about it.

pub mod codes;
mod json;
mod render;
mod snippet;

pub use render::Colour;

use dipmo_domain::Code;

use crate::Place;

/// Something that is wrong, or that is likely not meant so.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What kind of problem it is; its page is `docs/errors/<code>.md`.
    pub code: Code,
    /// Whether anything can run with it.
    pub severity: Severity,
    /// One sentence, without a full stop.
    pub message: String,
    /// Where it is.
    pub place: Option<Place>,
    /// What would be right.
    pub hint: Option<String>,
    /// Other places that have to do with it.
    pub also: Vec<(Place, String)>,
    /// What must not be shown, because it is a secret.
    pub hidden: Option<Place>,
}

/// Whether anything can run with a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing runs with it.
    Error,
    /// It can be meant so.
    Warning,
}

impl Severity {
    /// As people and JSON have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl Problem {
    /// An error at a place.
    #[must_use]
    pub fn error(code: Code, place: impl Into<Option<Place>>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            place: place.into(),
            hint: None,
            also: Vec::new(),
            hidden: None,
        }
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(
        code: Code,
        place: impl Into<Option<Place>>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, place, message) }
    }

    /// With what would be right.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// With what would be right, if anybody knows.
    #[must_use]
    pub fn maybe_hint(self, hint: Option<String>) -> Self {
        Self { hint: hint.or(self.hint), ..self }
    }

    /// With another place that has to do with it.
    #[must_use]
    pub fn also(mut self, place: Place, label: impl Into<String>) -> Self {
        self.also.push((place, label.into()));
        self
    }

    /// With a secret that must not be shown with it.
    #[must_use]
    pub fn hide(self, secret: Place) -> Self {
        Self { hidden: Some(secret), ..self }
    }
}

/// All problems of a configuration, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    left_out: usize,
    any_error: bool,
}

impl Problems {
    /// Nobody reads more.
    const MOST: usize = 100;

    /// Adds one. Beyond a hundred they are only counted.
    pub fn push(&mut self, problem: Problem) {
        self.any_error |= problem.severity == Severity::Error;
        if self.list.len() < Self::MOST {
            self.list.push(problem);
        } else {
            self.left_out += 1;
        }
    }

    /// The same, for an error that takes time to be put into words.
    pub fn push_error(&mut self, problem: impl FnOnce() -> Problem) {
        if self.list.len() < Self::MOST {
            self.push(problem());
        } else {
            self.any_error = true;
            self.left_out += 1;
        }
    }

    /// True when something is wrong; warnings do not count.
    #[must_use]
    pub fn any_error(&self) -> bool {
        self.any_error
    }

    /// True without errors and warnings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are, with those that are only counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len() + self.left_out
    }

    /// Each of those that are kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.list.iter()
    }

    /// How many were only counted.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// By file and place, as somebody reads who corrects them from top to bottom; each once.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|problem| problem.place.map(|place| (place.file, place.start)));
        // What is used in several places is found wrong in each.
        self.list.dedup_by(|one, other| (one.place, &one.message) == (other.place, &other.message));
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Extend<Problem> for Problems {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        for problem in problems {
            self.push(problem);
        }
    }
}
