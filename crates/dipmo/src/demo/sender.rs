//! What puts generated records on the wire.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use dipmo_kafka::{ClientEvents, KafkaError, Settings};
use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError as ClientError;
use rdkafka::message::{DeliveryResult, Header, Message as _, OwnedHeaders};
use rdkafka::producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer};
use rdkafka::types::RDKafkaErrorCode;

use super::broker::Broker;
use super::failed::for_people;
use super::progress::Progress;
use super::stories::{Answer, Send};
use super::topics::Topics;
use super::wire::Wire;

/// So many records may be on their way to the inbox. A cluster in this process keeps 5 MiB of each
/// partition and silently drops what is older: all of these are less than that.
const MOST_ON_THE_WIRE: u64 = 10_000;
/// How often it looks whether there is room.
const LOOK: Duration = Duration::from_millis(2);
/// How long Kafka may take no record, or the inbox store none.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends records to the topics of a run, in order for each aggregate.
pub(crate) struct Sender {
    producer: ThreadedProducer<Hearing>,
    topics: Topics,
    progress: Arc<Progress>,
    wire: Arc<Wire>,
}

impl Sender {
    pub(crate) fn new(broker: &Broker, progress: Arc<Progress>, wire: Arc<Wire>) -> Result<Self> {
        let owned = vec![
            ("enable.idempotence", "true".to_owned()),
            ("linger.ms", "5".to_owned()),
            ("delivery.timeout.ms", PATIENCE.as_millis().to_string()),
        ];
        let options = &broker.options;
        let hearing = Hearing { events: options.events(), wire: Arc::clone(&wire) };
        let producer = options
            .config(&Settings { owned, ..Settings::default() })
            .and_then(|config| options.client(&config, hearing))
            .map_err(|error| for_people(&error))?;
        Ok(Self { producer, topics: broker.topics.clone(), progress, wire })
    }

    /// Sends them as soon as there is room on the wire.
    pub(crate) async fn send(&self, sends: &[Send]) -> Result<()> {
        for send in sends {
            self.room().await?;
            while !self.try_to_send(send)? {
                tokio::time::sleep(LOOK).await;
            }
        }
        Ok(())
    }

    /// Waits until Kafka has acknowledged everything that it was given.
    pub(crate) async fn acknowledged(&self) -> Result<()> {
        while self.producer.in_flight_count() > 0 {
            tokio::time::sleep(LOOK).await;
        }
        self.check()
    }

    /// Waits until few enough records are on the wire.
    async fn room(&self) -> Result<()> {
        let (mut last, mut moved) = (0, Instant::now());
        loop {
            self.check()?;
            let on_the_wire = self.progress.on_the_wire();
            if on_the_wire < MOST_ON_THE_WIRE {
                return Ok(());
            }
            if on_the_wire != last {
                (last, moved) = (on_the_wire, Instant::now());
            }
            if moved.elapsed() > PATIENCE {
                bail!("{on_the_wire} records wait in Kafka, and the inbox has taken none for long");
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// A record that Kafka did not take is in the book, and would be missed for a wrong reason.
    fn check(&self) -> Result<()> {
        self.wire.problem().map_or(Ok(()), |problem| Err(for_people(&problem)))
    }

    /// False when the client has as much as it can hold.
    fn try_to_send(&self, send: &Send) -> Result<bool> {
        let record = send.record();
        let topic = self.topics.full(&record.topic);
        let mut headers = OwnedHeaders::new();
        for (name, value) in send.headers() {
            headers = headers.insert(Header { key: name, value: Some(&value) });
        }
        let ticket = Box::new(Ticket { id: send.id().to_owned(), answer: send.answer });
        let mut sending: BaseRecord<'_, [u8], [u8], Box<Ticket>> =
            BaseRecord::with_opaque_to(&topic, ticket).headers(headers);
        sending.key = record.key.as_deref();
        sending.payload = record.value.as_deref();
        // Counted before: the inbox may have it before we are back.
        self.progress.sent(1);
        let Err((error, _)) = self.producer.send(sending) else { return Ok(true) };
        self.progress.not_sent();
        match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::QueueFull) => Ok(false),
            _ => Err(for_people(&KafkaError::of(&error))),
        }
    }
}

/// What comes back with the report of a record.
struct Ticket {
    id: String,
    answer: Answer,
}

/// Hears what the producer says.
struct Hearing {
    events: ClientEvents,
    wire: Arc<Wire>,
}

impl ProducerContext for Hearing {
    type DeliveryOpaque = Box<Ticket>;

    fn delivery(&self, result: &DeliveryResult<'_>, ticket: Box<Ticket>) {
        match result {
            Ok(message) => {
                let place = (message.topic().to_owned(), message.partition(), message.offset());
                self.wire.acknowledged(place, ticket.id, ticket.answer);
            }
            Err((error, _)) => self.wire.refused(KafkaError::of(error)),
        }
    }
}

impl ClientContext for Hearing {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.events.log(level, facility, message);
    }

    fn error(&self, error: ClientError, reason: &str) {
        self.events.error(error, reason);
    }
}
