//! What keeps a source from starting. Everything else it tries again, and says so in its health.

use dipmo_domain::{Code, Coded};
use dipmo_kafka::KafkaError;
use thiserror::Error;

/// A source that cannot run as it is configured.
#[derive(Debug, Error)]
pub enum SourceError {
    /// An option makes no sense.
    #[error("the Kafka source cannot be: {problem}")]
    Invalid {
        /// What is wrong.
        problem: String,
    },
    /// The client refuses a topic or a pattern.
    #[error("the topics {topics:?} cannot be subscribed to: {problem}")]
    Subscription {
        /// What was asked for.
        topics: Vec<String>,
        /// What the client said.
        problem: String,
    },
    /// It runs, or its last run has not ended.
    #[error(
        "the source of group {group:?} runs already, or its last run still waits for a broker that \
         does not answer"
    )]
    Running {
        /// The group.
        group: String,
    },
    /// The client refuses its configuration.
    #[error(transparent)]
    Kafka(#[from] KafkaError),
}

impl Coded for SourceError {
    fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } => Code::new("kafka-source-invalid"),
            Self::Subscription { .. } => Code::new("kafka-subscription-invalid"),
            Self::Running { .. } => Code::new("kafka-source-running"),
            Self::Kafka(error) => error.code(),
        }
    }
}
