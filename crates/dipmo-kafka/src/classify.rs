//! What an error code of Kafka means for whoever got it.

use rdkafka::types::RDKafkaErrorCode as Rd;

use crate::KafkaError;

/// The alerts of TLS by which a broker says that it does not take our certificate, or misses one.
const CERTIFICATE_ALERTS: [&str; 8] = ["42", "43", "44", "45", "46", "48", "49", "116"];

impl KafkaError {
    /// What an error of the client means, in its own words.
    #[must_use]
    pub fn of(error: &rdkafka::error::KafkaError) -> Self {
        match error.rdkafka_error_code() {
            Some(code) => Self::of_code(code, &error.to_string()),
            None => Self::Unexpected { problem: error.to_string() },
        }
    }

    /// What an event of the client means: a code, and the words that come with it.
    ///
    /// By TLS 1.3 a client is in before the broker has seen its certificate. A refusal comes on a
    /// connection that is up, so that librdkafka takes it for one that was lost.
    pub(crate) fn of_event(code: Rd, reason: &str) -> Self {
        let problem = format!("{code:?}: {reason}");
        let alert = reason.split_once("SSL alert number ").map(|(_, rest)| rest);
        let number = alert.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        if number.is_some_and(|number| CERTIFICATE_ALERTS.contains(&number)) {
            return Self::LoginRefused { problem };
        }
        Self::of_code(code, &problem)
    }

    /// What a code means; `problem` is what to show for it.
    #[must_use]
    pub fn of_code(code: Rd, problem: &str) -> Self {
        let problem = problem.to_owned();
        match code {
            Rd::BrokerTransportFailure
            | Rd::AllBrokersDown
            | Rd::Resolve
            | Rd::MessageTimedOut
            | Rd::OperationTimedOut
            | Rd::TimedOutQueue
            | Rd::NetworkException
            | Rd::BrokerNotAvailable
            | Rd::DestroyBroker
            | Rd::BrokerDestroy => Self::Unreachable { problem },

            Rd::QueueFull
            | Rd::PurgeQueue
            | Rd::PurgeInflight
            | Rd::Retry
            | Rd::WaitingForCoordinator
            | Rd::WaitCache
            | Rd::InProgress
            | Rd::PreviousInProgress
            | Rd::ISRInsufficient
            | Rd::LeaderNotAvailable
            | Rd::NotLeaderForPartition
            | Rd::ReplicaNotAvailable
            | Rd::RequestTimedOut
            | Rd::NotEnoughReplicas
            | Rd::NotEnoughReplicasAfterAppend
            | Rd::CoordinatorLoadInProgress
            | Rd::CoordinatorNotAvailable
            | Rd::NotCoordinator
            | Rd::NotController
            | Rd::KafkaStorageError
            | Rd::LogDirNotFound
            | Rd::RebalanceInProgress
            | Rd::ReassignmentInProgress
            | Rd::IllegalGeneration
            | Rd::UnknownMemberId
            | Rd::MemberIdRequired
            | Rd::GroupMaxSizeReached
            | Rd::FetchSessionIdNotFound
            | Rd::InvalidFetchSessionEpoch
            | Rd::FencedLeaderEpoch
            | Rd::UnknownLeaderEpoch
            | Rd::StaleBrokerEpoch
            | Rd::OffsetNotAvailable
            | Rd::UnstableOffsetCommit
            | Rd::PreferredLeaderNotAvailable
            | Rd::EligibleLeadersNotAvailable
            | Rd::ThrottlingQuotaExceeded
            | Rd::ConcurrentTransactions => Self::NotReady { problem },

            Rd::SaslAuthenticationFailed
            | Rd::Authentication
            | Rd::SSL
            | Rd::UnsupportedSASLMechanism
            | Rd::IllegalSASLState
            | Rd::UnacceptableCredential
            | Rd::DelegationTokenExpired
            | Rd::DelegationTokenNotFound
            | Rd::DelegationTokenAuthorizationFailed => Self::LoginRefused { problem },

            Rd::TopicAuthorizationFailed
            | Rd::GroupAuthorizationFailed
            | Rd::ClusterAuthorizationFailed
            | Rd::TransactionalIdAuthorizationFailed
            | Rd::SecurityDisabled => Self::NotAuthorised { problem },

            Rd::UnknownTopicOrPartition
            | Rd::UnknownTopic
            | Rd::UnknownPartition
            | Rd::InvalidTopic
            | Rd::ResourceNotFound => Self::TopicUnknown { problem },

            Rd::MessageSizeTooLarge | Rd::MessageBatchTooLarge | Rd::InvalidMessageSize => {
                Self::RecordTooLarge { problem }
            }

            Rd::InvalidMessage
            | Rd::InvalidRecord
            | Rd::InvalidTimestamp
            | Rd::PolicyViolation
            | Rd::UnsupportedForMessageFormat
            | Rd::UnsupportedCompressionType
            | Rd::InvalidRequiredAcks => Self::RecordRefused { problem },

            // What a client says that decompresses: a broker that gets a record says it otherwise.
            Rd::BadMessage | Rd::BadCompression | Rd::NotImplemented => {
                Self::RecordsUnreadable { problem }
            }

            Rd::InconsistentGroupProtocol => Self::GroupMixed { problem },

            Rd::Fatal
            | Rd::Fenced
            | Rd::GaplessGuarantee
            | Rd::Inconsistent
            | Rd::ProducerFenced
            | Rd::FencedInstanceId
            | Rd::OutOfOrderSequenceNumber
            | Rd::DuplicateSequenceNumber
            | Rd::InvalidProducerEpoch
            | Rd::InvalidProducerIdMapping
            | Rd::UnknownProducerId
            | Rd::TransactionCoordinatorFenced => Self::ClientFatal { problem },

            _ => Self::Unexpected { problem },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;

    fn of(code: Rd) -> KafkaError {
        KafkaError::of(&rdkafka::error::KafkaError::MessageProduction(code))
    }

    #[test]
    fn a_code_says_what_to_do() {
        for (code, verdict) in [
            (Rd::AllBrokersDown, Verdict::Transient),
            (Rd::NotEnoughReplicas, Verdict::Transient),
            (Rd::SaslAuthenticationFailed, Verdict::Transient),
            (Rd::TopicAuthorizationFailed, Verdict::Permanent),
            (Rd::UnknownTopicOrPartition, Verdict::Permanent),
            (Rd::MessageSizeTooLarge, Verdict::Permanent),
            (Rd::NotImplemented, Verdict::Permanent),
            (Rd::InconsistentGroupProtocol, Verdict::Transient),
            (Rd::ProducerFenced, Verdict::Fatal),
            (Rd::Fatal, Verdict::Fatal),
        ] {
            assert_eq!(of(code).verdict(), verdict, "{code:?}");
        }
    }

    #[test]
    fn an_alert_about_a_certificate_is_a_login_that_is_refused() {
        let said = |alert: u8| {
            let reason =
                format!("Receive failed: sslv3 alert: SSL alert number {alert} (after 0ms)");
            KafkaError::of_event(Rd::BrokerTransportFailure, &reason)
        };
        for alert in [42, 45, 48, 116] {
            assert!(matches!(said(alert), KafkaError::LoginRefused { .. }), "{alert}");
        }
        // The broker closes, or cannot go on: nothing about us.
        for alert in [0, 4, 80] {
            assert!(matches!(said(alert), KafkaError::Unreachable { .. }), "{alert}");
        }
    }

    #[test]
    fn the_words_of_the_broker_are_kept() {
        let error = of(Rd::MessageSizeTooLarge).to_string();
        assert!(error.contains("Broker: Message size too large"), "{error}");
    }
}
