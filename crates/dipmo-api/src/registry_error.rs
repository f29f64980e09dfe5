//! What can be wrong with a registration.

use dipmo_domain::{Code, Coded};
use thiserror::Error;

use crate::table::TableError;

/// Why a process or a handler was not registered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RegistryError {
    /// A process or handler of that name is there already.
    #[error("the name {name} is registered twice")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// Two would take the same message.
    #[error("{first} and {second} both take {claim}; a message has one taker")]
    Ambiguous {
        /// Who was there.
        first: String,
        /// Who came.
        second: String,
        /// What the second one claims.
        claim: String,
    },
    /// A table cannot be made.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The description of a process or handler contradicts itself.
    #[error("{name} cannot be registered: {problem}")]
    Definition {
        /// The process or handler.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

impl Coded for RegistryError {
    fn code(&self) -> Code {
        match self {
            Self::Duplicate { .. } => Code::new("process-duplicate"),
            Self::Ambiguous { .. } => Code::new("route-ambiguous"),
            Self::Table(error) => error.code(),
            Self::Definition { .. } => Code::new("process-definition-invalid"),
        }
    }
}
