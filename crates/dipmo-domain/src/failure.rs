//! A failure as it is stored beside a message: a code for machines, a sentence for people.

use crate::{Code, Coded, cut_to_bytes};

/// What goes into `ERROR_CODE` and `ERROR_MESSAGE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    code: String,
    message: String,
}

impl Failure {
    /// Cuts both to their columns: 200 and 2,000 bytes, so that they fit Oracle as well.
    #[must_use]
    pub fn new(code: &str, message: &str) -> Self {
        Self { code: cut_to_bytes(code, 200), message: cut_to_bytes(message, 2_000) }
    }

    /// A failure under one of dipmo's own codes.
    #[must_use]
    pub fn coded(code: Code, message: &str) -> Self {
        Self::new(code.as_str(), message)
    }

    /// `ERROR_CODE`.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// `ERROR_MESSAGE`.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl<E: Coded> From<&E> for Failure {
    fn from(error: &E) -> Self {
        Self::coded(error.code(), &error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_cut_at_a_character_that_fits() {
        let failure = Failure::new("X", &"é".repeat(1_500));
        assert_eq!(failure.message().len(), 2_000);
        assert_eq!(failure.message().chars().count(), 1_000);
    }
}
