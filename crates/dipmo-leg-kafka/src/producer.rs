//! The transactional producer, and the thread that hears its delivery reports.

use std::error::Error;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dipmo_domain::Header;
use dipmo_kafka::{ClientEvents, KafkaError};
use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerGroupMetadata;
use rdkafka::error::KafkaResult;
use rdkafka::message::{DeliveryResult, Header as Sent, Message as _, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer};
use rdkafka::statistics::Statistics;
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{ClientConfig, TopicPartitionList};

use crate::options::LegOptions;
use crate::transform::Outgoing;

/// How long a full queue is left alone.
const BREATH: Duration = Duration::from_millis(5);

/// How often to look whether everything has arrived.
const STEP: Duration = Duration::from_micros(500);

/// With whom a record is in a batch. A broker refuses a whole batch for one record of it, and for the
/// size of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Company {
    /// With any others.
    Shared,
    /// With none.
    Alone,
}

/// A producer with transactions. Its calls block: only the thread of a leg makes them.
pub(crate) struct Producer(ThreadedProducer<Hearing>);

impl Producer {
    pub(crate) fn new(
        options: &LegOptions,
        config: &ClientConfig,
        company: Company,
    ) -> Result<Self, KafkaError> {
        let hearing = Hearing { events: options.kafka.events(), refusal: Mutex::default() };
        let mut config = config.clone();
        if company == Company::Alone {
            config.set("batch.num.messages", "1");
        }
        options.kafka.client(&config, hearing).map(Self)
    }

    pub(crate) fn init(&self, timeout: Duration) -> KafkaResult<()> {
        self.0.init_transactions(timeout)
    }

    pub(crate) fn begin(&self) -> KafkaResult<()> {
        self.0.context().forget();
        self.0.begin_transaction()
    }

    /// Hands a record to the client; waits as long as it has no room, which ends by itself: what is
    /// not delivered in time leaves its queue.
    pub(crate) fn send(&self, record: &Outgoing) -> KafkaResult<()> {
        let Outgoing { topic, key, headers, value } = record;
        loop {
            let mut sending = BaseRecord::<[u8], [u8]>::to(topic);
            sending.key = key.as_deref();
            sending.payload = value.as_deref();
            if !headers.is_empty() {
                sending = sending.headers(owned(headers.as_slice()));
            }
            match self.0.send(sending) {
                Ok(()) => return Ok(()),
                Err((error, _))
                    if error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull) =>
                {
                    std::thread::sleep(BREATH);
                }
                Err((error, _)) => {
                    if let Some(code) = error.rdkafka_error_code() {
                        self.0.context().refused(code, topic);
                    }
                    return Err(error);
                }
            }
        }
    }

    pub(crate) fn send_offsets(
        &self,
        offsets: &TopicPartitionList,
        group: &ConsumerGroupMetadata,
        timeout: Duration,
    ) -> KafkaResult<()> {
        self.0.send_offsets_to_transaction(offsets, group, timeout)
    }

    pub(crate) fn commit(&self, timeout: Duration) -> KafkaResult<()> {
        // The client would wait for reports in steps of 100 ms, because another thread takes them.
        let until = Instant::now() + timeout;
        let waits = || self.0.in_flight_count() > 0 && self.0.context().is_well();
        while waits() && Instant::now() < until {
            std::thread::sleep(STEP);
        }
        self.0.commit_transaction(timeout)
    }

    pub(crate) fn abort(&self, timeout: Duration) -> KafkaResult<()> {
        self.0.abort_transaction(timeout)
    }

    /// What is wrong with the client since a broker last answered.
    pub(crate) fn last_error(&self) -> Option<KafkaError> {
        self.0.context().events.last_error()
    }

    /// Why the first record of this transaction that was not delivered was not.
    pub(crate) fn refusal(&self) -> Option<KafkaError> {
        let refusal = self.0.context().refusal.lock().unwrap_or_else(PoisonError::into_inner);
        let (code, topic) = refusal.as_ref()?;
        match (code, self.last_error()) {
            (RDKafkaErrorCode::MessageTimedOut, Some(reason)) => Some(reason),
            _ => Some(KafkaError::of_code(*code, &format!("{topic}: {code}"))),
        }
    }
}

fn owned(headers: &[Header]) -> OwnedHeaders {
    headers.iter().fold(OwnedHeaders::new_with_capacity(headers.len()), |all, header| {
        all.insert(Sent { key: &header.name, value: header.value.as_deref() })
    })
}

/// Hears what the producer says.
struct Hearing {
    events: ClientEvents,
    refusal: Mutex<Option<(RDKafkaErrorCode, String)>>,
}

impl Hearing {
    fn is_well(&self) -> bool {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn forget(&self) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Remembers the first. Those that were swept out with it say nothing.
    fn refused(&self, code: RDKafkaErrorCode, topic: &str) {
        if matches!(code, RDKafkaErrorCode::PurgeQueue | RDKafkaErrorCode::PurgeInflight) {
            return;
        }
        let mut refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
        refusal.get_or_insert_with(|| (code, topic.to_owned()));
    }
}

impl ProducerContext for Hearing {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        match result {
            Ok(_) => self.events.is_well(),
            Err((error, message)) => {
                let code = error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Unknown);
                self.refused(code, message.topic());
            }
        }
    }
}

impl ClientContext for Hearing {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = ClientEvents::ENABLE_REFRESH_OAUTH_TOKEN;

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.events.log(level, facility, message);
    }

    fn stats(&self, statistics: Statistics) {
        self.events.stats(statistics);
    }

    fn error(&self, error: rdkafka::error::KafkaError, reason: &str) {
        self.events.error(error, reason);
    }

    fn generate_oauth_token(&self, config: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        self.events.generate_oauth_token(config)
    }
}
