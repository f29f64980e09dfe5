//! What an error of a transaction means: do the same again, abort, or make a new client.

use rdkafka::error::KafkaError as Rd;
use rdkafka::types::RDKafkaErrorCode as Code;

/// What to do about a call of a transaction that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionVerdict {
    /// The same call again: it goes on where it stands.
    Again,
    /// Nothing of this transaction can be; it is aborted, and a new one may begin.
    Abort,
    /// This client has had its last transaction: another took its name, or nobody knows what became
    /// of what it sent. A new client of the same name resolves what is left.
    Fatal,
}

impl TransactionVerdict {
    /// What to do about an error of `init`, `begin`, `send_offsets`, `commit` or `abort`.
    #[must_use]
    pub fn of(error: &Rd) -> Self {
        match error {
            Rd::Transaction(error) if error.is_fatal() => Self::Fatal,
            Rd::Transaction(error) if error.txn_requires_abort() => Self::Abort,
            Rd::Transaction(error) if error.is_retriable() => Self::Again,
            // Not all was sent in time. Whether that can still be is asked of the next call.
            Rd::Flush(Code::OperationTimedOut) => Self::Again,
            // Nothing that a transaction could go on with, and nothing that a new one would mend.
            Rd::Transaction(_) => Self::Fatal,
            _ => Self::Abort,
        }
    }
}

/// Whether an error says that another has our place: in the group, or under our transactional id.
#[must_use]
pub fn is_fenced(error: &Rd) -> bool {
    matches!(
        error.rdkafka_error_code(),
        Some(
            Code::Fenced
                | Code::ProducerFenced
                | Code::FencedInstanceId
                | Code::InvalidProducerEpoch
                | Code::IllegalGeneration
                | Code::UnknownMemberId
                | Code::TransactionCoordinatorFenced
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_sent_in_time_is_asked_for_again_and_what_was_refused_is_aborted() {
        assert_eq!(
            TransactionVerdict::of(&Rd::Flush(Code::OperationTimedOut)),
            TransactionVerdict::Again
        );
        assert_eq!(
            TransactionVerdict::of(&Rd::MessageProduction(Code::MessageSizeTooLarge)),
            TransactionVerdict::Abort
        );
    }

    #[test]
    fn who_is_no_member_any_more_is_fenced() {
        assert!(is_fenced(&Rd::MessageProduction(Code::IllegalGeneration)));
        assert!(!is_fenced(&Rd::MessageProduction(Code::MessageSizeTooLarge)));
    }
}
