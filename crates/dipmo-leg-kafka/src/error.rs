//! What keeps a leg from starting. Everything else it tries again, and says so in its health.

use dipmo_domain::{Code, Coded};
use dipmo_kafka::KafkaError;
use thiserror::Error;

/// A leg that cannot run as it is configured.
#[derive(Debug, Error)]
pub enum LegError {
    /// An option makes no sense.
    #[error("the leg {leg:?} cannot be: {problem}")]
    Invalid {
        /// The leg.
        leg: String,
        /// What is wrong.
        problem: String,
    },
    /// The client refuses a topic.
    #[error("the topics {topics:?} cannot be subscribed to: {problem}")]
    Subscription {
        /// What was asked for.
        topics: Vec<String>,
        /// What the client said.
        problem: String,
    },
    /// It runs, or its last run has not ended.
    #[error(
        "the leg {leg:?} runs already, or its last run still waits for a broker that does not answer"
    )]
    Running {
        /// The leg.
        leg: String,
    },
    /// The client refuses its configuration.
    #[error(transparent)]
    Kafka(#[from] KafkaError),
}

impl Coded for LegError {
    fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } => Code::new("kafka-leg-invalid"),
            Self::Subscription { .. } => Code::new("kafka-subscription-invalid"),
            Self::Running { .. } => Code::new("kafka-leg-running"),
            Self::Kafka(error) => error.code(),
        }
    }
}
