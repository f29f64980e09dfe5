//! What cannot be told to a gate.

use dipmo_domain::{Code, Coded};
use thiserror::Error;

/// An option or a command that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResilienceError {
    /// An option that nothing could ever pass under.
    #[error("resilience of {of}: {option} {problem}")]
    Invalid {
        /// The org or object that it is for.
        of: String,
        /// The option.
        option: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A command for an org or object that nothing was ever sent to.
    #[error("there is no {object} in org {org:?}: nothing was ever sent to it", object = .object.as_deref().map_or_else(|| "org of that name".to_owned(), |name| format!("object {name:?}")))]
    Unknown {
        /// The org.
        org: String,
        /// The object, unless the org itself was meant.
        object: Option<String>,
    },
}

impl ResilienceError {
    pub(crate) fn invalid(of: &str, option: &'static str, problem: &'static str) -> Self {
        Self::Invalid { of: of.to_owned(), option, problem }
    }
}

impl Coded for ResilienceError {
    fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } => Code::new("salesforce-resilience-invalid"),
            Self::Unknown { .. } => Code::new("salesforce-gate-unknown"),
        }
    }
}
