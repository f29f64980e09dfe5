//! One producer of librdkafka, and the thread that hears its delivery reports.

use std::error::Error;
use std::sync::Arc;

use dipmo_domain::{Coded as _, Failure};
use dipmo_kafka::{ClientEvents, KafkaError, Settings, Verdict};
use dipmo_outbox::{Delivery, Published};
use rdkafka::ClientContext;
use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer};
use rdkafka::statistics::Statistics;
use rdkafka::types::RDKafkaErrorCode;

use crate::error::SinkError;
use crate::metrics::Metrics;
use crate::options::{Company, KafkaSinkOptions};
use crate::record::{self, Content};
use crate::reports::{Report, Ticket};

/// A producer.
pub(crate) struct Producer {
    inner: ThreadedProducer<Hearing>,
    metrics: Arc<Metrics>,
}

/// A record to send.
pub(crate) struct Outgoing<'a> {
    pub(crate) topic: &'a str,
    pub(crate) key: &'a str,
    pub(crate) content: Content<'a>,
}

impl<'a> Outgoing<'a> {
    pub(crate) fn of(delivery: &'a Delivery, message_id_prefix: &str) -> Result<Self, SinkError> {
        let topic = record::topic(delivery)
            .ok_or_else(|| SinkError::NotKafka { destination: delivery.destination.to_string() })?;
        let content = Content::of(delivery, message_id_prefix)?;
        Ok(Self { topic, key: record::key(delivery), content })
    }

    /// How many bytes its key and value have.
    pub(crate) fn bytes(&self) -> usize {
        self.key.len() + self.content.value.as_ref().map_or(0, |value| value.len())
    }
}

/// Why a record was not taken.
pub(crate) enum NotTaken {
    /// The producer has as much as it can hold: try again when something has left it.
    Full,
    /// It never will be.
    Refused(RDKafkaErrorCode),
}

impl Producer {
    pub(crate) fn new(
        options: &KafkaSinkOptions,
        company: Company,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, KafkaError> {
        Self::with(options, &options.settings(company)?, Counted::Acknowledged, metrics)
    }

    /// A producer of transactions under this name.
    pub(crate) fn transactional(
        options: &KafkaSinkOptions,
        company: Company,
        name: &str,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, KafkaError> {
        let settings = options.settings_of_transactions(company, name)?;
        Self::with(options, &settings, Counted::Committed, metrics)
    }

    fn with(
        options: &KafkaSinkOptions,
        settings: &Settings,
        counted: Counted,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, KafkaError> {
        let config = options.kafka.config(settings)?;
        let (events, metrics) = (options.kafka.events(), Arc::clone(metrics));
        let hearing = Hearing { events, metrics: Arc::clone(&metrics), counted };
        let inner = options.kafka.client(&config, hearing)?;
        Ok(Self { inner, metrics })
    }

    /// The client itself, for what only transactions need.
    pub(crate) const fn client(&self) -> &ThreadedProducer<Hearing> {
        &self.inner
    }

    /// Takes a record, whose ticket comes back with the report; never waits.
    pub(crate) fn send(&self, record: Outgoing<'_>, ticket: Ticket) -> Result<(), NotTaken> {
        let Content { value, headers } = record.content;
        let mut sending =
            BaseRecord::<str, [u8], _>::with_opaque_to(record.topic, Box::new(ticket))
                .key(record.key)
                .headers(headers);
        sending.payload = value.as_deref();
        // Counted before: its report may be quicker than we are.
        self.metrics.sent();
        self.inner.send(sending).map_err(|(error, _)| {
            self.metrics.came_back();
            match error.rdkafka_error_code() {
                Some(RDKafkaErrorCode::QueueFull) => NotTaken::Full,
                code => NotTaken::Refused(code.unwrap_or(RDKafkaErrorCode::InvalidArgument)),
            }
        })
    }

    /// What a code means, told by what the client itself complains of where that says more.
    pub(crate) fn explain(&self, code: RDKafkaErrorCode, topic: &str) -> KafkaError {
        if let Some((code, words)) = self.inner.client().fatal_error() {
            return KafkaError::ClientFatal { problem: format!("{words} ({code:?})") };
        }
        match (code, self.last_error()) {
            (RDKafkaErrorCode::MessageTimedOut, Some(reason)) => reason,
            _ => KafkaError::of_code(code, &format!("{topic}: {code}")),
        }
    }

    /// What a record is answered with that was not delivered.
    pub(crate) fn answer(&self, code: RDKafkaErrorCode, topic: &str) -> Published {
        let error = self.explain(code, topic);
        self.metrics.failed(error.code());
        match error.verdict() {
            Verdict::Permanent => Published::Refused(Failure::from(&error)),
            // Nobody is there: no attempt is counted against the record.
            Verdict::Transient if self.last_error().is_some() => Published::NotTried,
            Verdict::Transient | Verdict::Fatal => {
                Published::Retry { failure: Failure::from(&error), after: None }
            }
        }
    }

    /// True when librdkafka will send nothing more.
    pub(crate) fn is_lost(&self) -> bool {
        self.inner.client().fatal_error().is_some()
    }

    /// What is wrong with the client since a broker last answered.
    pub(crate) fn last_error(&self) -> Option<KafkaError> {
        self.inner.client().context().events.last_error()
    }
}

/// When a record counts as delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    /// When the broker has it.
    Acknowledged,
    /// When its transaction is committed, which others count.
    Committed,
}

/// Hears what a producer says.
pub(crate) struct Hearing {
    events: ClientEvents,
    metrics: Arc<Metrics>,
    counted: Counted,
}

impl ProducerContext for Hearing {
    type DeliveryOpaque = Box<Ticket>;

    fn delivery(&self, result: &DeliveryResult<'_>, ticket: Box<Ticket>) {
        self.metrics.came_back();
        let result = match result {
            Ok(_) => {
                self.events.is_well();
                if self.counted == Counted::Acknowledged {
                    self.metrics.delivered(ticket.bytes, ticket.sent.elapsed());
                }
                Ok(())
            }
            Err((error, _)) => Err(error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Unknown)),
        };
        ticket.reports.add(Report { place: ticket.place, result });
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
