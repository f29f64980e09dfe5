//! What cannot be told to a gate.

use dipmo_domain::{Code, Coded};
use thiserror::Error;

use super::Target;
use super::options::Complaint;

/// An option or a command that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResilienceError {
    /// An option that nothing could ever pass under.
    #[error("resilience of {of}: {option} {problem}")]
    Invalid {
        /// What it is for.
        of: String,
        /// The option.
        option: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A command for an org or object that no gate leads to.
    #[error("no destination is about {target}")]
    Unknown {
        /// What was meant.
        target: Target,
    },
}

impl ResilienceError {
    pub(super) fn invalid(of: &str, (option, problem): Complaint) -> Self {
        Self::Invalid { of: of.to_owned(), option, problem }
    }
}

impl Coded for ResilienceError {
    fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } => Code::new("salesforce-resilience-invalid"),
            Self::Unknown { .. } => Code::new("salesforce-target-unknown"),
        }
    }
}
