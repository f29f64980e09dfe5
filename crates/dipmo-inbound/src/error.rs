//! What can be wrong with a rule: found when it is read, never when a record comes.

use dipmo_domain::{Code, Coded};
use thiserror::Error;

/// A rule that cannot be meant so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RuleError {
    /// A text that says no place to look at.
    #[error(
        "rule {text:?}: {problem}; expected header:<name>, json:/<path>, key or const:<text>, \
         the first that gives something wins: \"header:message-id | json:/eventId | key\"; \
         \"required\" at the end makes a record without it a SERDE_ERROR"
    )]
    Extraction {
        /// What was given.
        text: String,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// A rule that would do harm for this field.
    #[error("{field} of topic {topic:?}: {problem}")]
    Field {
        /// The pattern of the topic.
        topic: String,
        /// The field.
        field: &'static str,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// A pattern that no topic can have.
    #[error(
        "topic {text:?}: {problem}; expected a name of letters, digits, '.', '_' and '-', \
         with '*' for any run of them, such as \"orders-*\""
    )]
    Topic {
        /// What was given.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl Coded for RuleError {
    fn code(&self) -> Code {
        Code::new("extraction-rule-invalid")
    }
}
