//! What a consumer complains about, put up for the operator and taken down when it is over.

use std::time::Duration;

use dipmo_domain::Coded as _;
use rdkafka::Statistics;
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerContext};
use rdkafka::types::RDKafkaErrorCode;

use crate::{Board, KafkaError, Subject};

/// How long a question about a topic may take; reading waits meanwhile.
const ONE_CALL: Duration = Duration::from_millis(500);

impl Board {
    /// Puts up what an event of the client says; `last` is the last error that says why. That topics
    /// are missing, or nothing of them is told to us, is found out by [`Board::look_for`], which
    /// also notices when it is over.
    pub fn report(&self, code: RDKafkaErrorCode, last: Option<&KafkaError>) {
        let Some(error) = last else { return };
        if let Some(subject) = subject(code) {
            self.raise(subject, error.code(), &error.to_string());
        }
    }

    /// Takes the problem with the cluster down when a broker answers.
    pub fn broker_answers(&self, statistics: &Statistics) -> bool {
        let up =
            statistics.brokers.values().any(|broker| broker.nodeid >= 0 && broker.state == "UP");
        if up {
            self.clear(&Subject::Broker);
        }
        up
    }

    /// Asks about topics: are they there, and may we read them? Of those that are `read` it is known.
    pub fn look_for<'a, C: ConsumerContext>(
        &self,
        consumer: &BaseConsumer<C>,
        topics: impl Iterator<Item = &'a str>,
        read: impl Fn(&str) -> bool,
    ) {
        for topic in topics {
            let subject = Subject::Topic(topic.to_owned());
            if read(topic) {
                self.clear(&subject);
                continue;
            }
            // No answer is a problem with the cluster, which is told elsewhere.
            let Ok(metadata) = consumer.fetch_metadata(Some(topic), ONE_CALL) else { return };
            let answer = metadata.topics().iter().find(|answer| answer.name() == topic);
            let code = answer.and_then(rdkafka::metadata::MetadataTopic::error);
            match code.map(RDKafkaErrorCode::from) {
                None => self.clear(&subject),
                Some(code) => {
                    let error = KafkaError::of_code(code, &format!("{topic}: {code}"));
                    self.raise(subject, error.code(), &error.to_string());
                }
            }
        }
    }
}

/// Whom an error is about; `None` when nobody misses anything, or somebody else tells it.
fn subject(code: RDKafkaErrorCode) -> Option<Subject> {
    match (KafkaError::of_code(code, ""), code) {
        // One broker of several may be away without anybody missing it.
        (KafkaError::Unreachable { .. }, RDKafkaErrorCode::AllBrokersDown)
        | (KafkaError::LoginRefused { .. }, _) => Some(Subject::Broker),
        (KafkaError::NotAuthorised { .. }, RDKafkaErrorCode::GroupAuthorizationFailed)
        | (KafkaError::ClientFatal { .. } | KafkaError::GroupMixed { .. }, _) => {
            Some(Subject::Group)
        }
        // Of a topic that we were given partitions of: it may be described, and not be read.
        (KafkaError::NotAuthorised { .. }, RDKafkaErrorCode::TopicAuthorizationFailed)
        | (KafkaError::RecordsUnreadable { .. }, _) => Some(Subject::Records),
        _ => None,
    }
}
