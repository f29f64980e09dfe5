//! What an adapter says about its options, as a problem at the place of the option.

pub(super) use dipmo_config::declared::unknown;
use dipmo_config::problem::codes;
use dipmo_config::{Place, Problem, Problems, Template};
use dipmo_domain::Coded;

/// An error of an adapter.
pub(super) fn coded(error: &impl Coded, place: impl Into<Option<Place>>) -> Problem {
    Problem::error(error.code(), place, error.to_string())
}

/// A value that is right by itself, and not here.
pub(super) fn invalid(place: Place, message: impl Into<String>) -> Problem {
    Problem::error(codes::VALUE_INVALID, place, message)
}

/// A key that is missing because of another.
pub(super) fn missing(place: Place, message: impl Into<String>) -> Problem {
    Problem::error(codes::MISSING_KEY, place, message)
}

/// An option that is likely not meant so: it has no effect where it stands, or not the one that is wanted.
pub(super) fn doubtful(place: Place, message: impl Into<String>, problems: &mut Problems) {
    problems.push(Problem::warning(codes::VALUE_INVALID, place, message));
}

/// A message without what a reference stands for: it shows the reference instead.
pub(super) fn struck(message: &str, value: &Template) -> String {
    if value.is_reference() && !value.expose().is_empty() {
        message.replace(value.expose(), &value.to_string())
    } else {
        message.to_owned()
    }
}
