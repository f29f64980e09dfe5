//! What can go wrong with Kafka, typed by what to do about it.

use dipmo_domain::{Code, Coded};
use thiserror::Error;

/// An error of a client or a broker, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KafkaError {
    /// librdkafka does not know the property, or refuses its value.
    #[error("the Kafka property {property:?} is not valid: {problem}")]
    PropertyInvalid {
        /// The property.
        property: String,
        /// What librdkafka says.
        problem: String,
    },
    /// The property is not for others to set.
    #[error("the Kafka property {property:?} cannot be set: {instead}")]
    PropertyOwned {
        /// The property, as it was written.
        property: String,
        /// Who sets it.
        instead: String,
    },
    /// librdkafka makes no client of properties that are valid one by one.
    #[error("the Kafka client cannot be made: {problem}")]
    ClientRefused {
        /// What librdkafka says.
        problem: String,
    },
    /// No broker answers.
    #[error("Kafka cannot be reached: {problem}")]
    Unreachable {
        /// What the client says.
        problem: String,
    },
    /// A broker answers, but not now: a leader moves, replicas are missing, a quota is used up.
    #[error("Kafka cannot do it now: {problem}")]
    NotReady {
        /// What the broker says.
        problem: String,
    },
    /// The broker does not take our name, password, token or certificate.
    #[error("Kafka refuses the login: {problem}")]
    LoginRefused {
        /// What the broker says.
        problem: String,
    },
    /// We may not do this with this topic, group or cluster.
    #[error("Kafka does not allow it: {problem}")]
    NotAuthorised {
        /// What the broker says.
        problem: String,
    },
    /// There is no such topic or partition.
    #[error("the topic is not there: {problem}")]
    TopicUnknown {
        /// What the broker says.
        problem: String,
    },
    /// The record is larger than the topic takes.
    #[error("the record is too large: {problem}")]
    RecordTooLarge {
        /// What the broker says.
        problem: String,
    },
    /// The broker takes no such record.
    #[error("Kafka refuses the record: {problem}")]
    RecordRefused {
        /// What the broker says.
        problem: String,
    },
    /// There are records that the client cannot read: it does not know how they are compressed, or
    /// they are damaged.
    #[error("records cannot be read: {problem}")]
    RecordsUnreadable {
        /// What the client says.
        problem: String,
    },
    /// The other members of the group hand partitions out in another way, so we cannot join it.
    #[error("the group does not take us: {problem}")]
    GroupMixed {
        /// What the broker says.
        problem: String,
    },
    /// The client cannot go on: another took its place, or it lost track of what it sent.
    #[error("the Kafka client cannot go on: {problem}")]
    ClientFatal {
        /// What librdkafka says.
        problem: String,
    },
    /// Something that this version does not know about.
    #[error("Kafka: {problem}")]
    Unexpected {
        /// What the client says.
        problem: String,
    },
}

/// What to do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Try again: neither the record nor the client is to blame.
    Transient,
    /// It will be refused again until somebody changes something.
    Permanent,
    /// Make a new client.
    Fatal,
}

impl KafkaError {
    /// What to do about it.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Unreachable { .. }
            | Self::NotReady { .. }
            | Self::LoginRefused { .. }
            | Self::GroupMixed { .. }
            | Self::Unexpected { .. } => Verdict::Transient,
            Self::PropertyInvalid { .. }
            | Self::PropertyOwned { .. }
            | Self::ClientRefused { .. }
            | Self::NotAuthorised { .. }
            | Self::TopicUnknown { .. }
            | Self::RecordTooLarge { .. }
            | Self::RecordRefused { .. }
            | Self::RecordsUnreadable { .. } => Verdict::Permanent,
            Self::ClientFatal { .. } => Verdict::Fatal,
        }
    }
}

impl Coded for KafkaError {
    fn code(&self) -> Code {
        match self {
            Self::PropertyInvalid { .. } => Code::new("kafka-property-invalid"),
            Self::PropertyOwned { .. } => Code::new("kafka-property-owned"),
            Self::ClientRefused { .. } => Code::new("kafka-client-refused"),
            Self::Unreachable { .. } => Code::new("kafka-unreachable"),
            Self::NotReady { .. } => Code::new("kafka-not-ready"),
            Self::LoginRefused { .. } => Code::new("kafka-login-refused"),
            Self::NotAuthorised { .. } => Code::new("kafka-not-authorised"),
            Self::TopicUnknown { .. } => Code::new("kafka-topic-unknown"),
            Self::RecordTooLarge { .. } => Code::new("kafka-record-too-large"),
            Self::RecordRefused { .. } => Code::new("kafka-record-refused"),
            Self::RecordsUnreadable { .. } => Code::new("kafka-records-unreadable"),
            Self::GroupMixed { .. } => Code::new("kafka-group-mixed"),
            Self::ClientFatal { .. } => Code::new("kafka-client-fatal"),
            Self::Unexpected { .. } => Code::new("kafka-unexpected"),
        }
    }
}
