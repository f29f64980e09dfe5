//! Deliveries that no record can be made of, and clusters that take none.

use dipmo_domain::{Code, Coded, HeadersError};
use dipmo_inbox::DeadLetterError;
use thiserror::Error;

/// Why there is no record for a delivery, or no transaction.
#[derive(Debug, Error)]
pub enum SinkError {
    /// It goes somewhere else: the publisher is registered for too much.
    #[error("{destination} is no topic of Kafka")]
    NotKafka {
        /// Where it goes.
        destination: String,
    },
    /// Something else than dipmo wrote `HEADERS`.
    #[error("{0}")]
    HeadersUnreadable(#[from] HeadersError),
    /// A header has a name that consumers would read as another one.
    #[error(
        "the name of the header {name:?} has a NUL in it, where many clients think that it ends"
    )]
    HeaderName {
        /// The name.
        name: String,
    },
    /// Something else than dipmo wrote a dead letter.
    #[error(transparent)]
    DeadLetter(#[from] DeadLetterError),
    /// The cluster knows no transactions, or lets this user have none.
    #[error("Kafka takes no transactions from us, which `exactly_once` needs: {problem}")]
    TransactionsRefused {
        /// What the broker says.
        problem: String,
    },
}

impl Coded for SinkError {
    fn code(&self) -> Code {
        match self {
            Self::NotKafka { .. } => Code::new("destination-not-kafka"),
            Self::HeadersUnreadable(_) => Code::new("headers-unreadable"),
            Self::HeaderName { .. } => Code::new("header-name-invalid"),
            Self::DeadLetter(error) => error.code(),
            Self::TransactionsRefused { .. } => Code::new("kafka-transactions-refused"),
        }
    }
}
