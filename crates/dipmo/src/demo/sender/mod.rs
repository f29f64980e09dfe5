//! What puts generated records on the wire.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use dipmo_kafka::{ClientEvents, KafkaError, Settings};
use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError as ClientError;
use rdkafka::message::{DeliveryResult, Message as _};
use rdkafka::producer::{BaseRecord, Producer as _, ProducerContext, ThreadedProducer};
use rdkafka::types::RDKafkaErrorCode;

use crate::demo::broker::Broker;
use crate::demo::failed::for_people;
use crate::demo::progress::Progress;
use crate::demo::stories::Send;
use crate::demo::topics::Topics;
use crate::demo::wire::{Ticket, Wire};

/// How much may be on its way to the inbox. A cluster in this process keeps 5 MiB or 100,000 records of each
/// partition and silently drops what is older: all of these together are less, even on one partition.
const ROOM: Room = Room { records: 10_000, bytes: 2 << 20 };
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
    room: Room,
}

/// What there is room for on the wire.
#[derive(Clone, Copy, Debug)]
struct Room {
    records: u64,
    bytes: u64,
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
        Ok(Self { producer, topics: broker.topics.clone(), progress, wire, room: ROOM })
    }

    /// Sends them as soon as there is room on the wire.
    pub(crate) async fn send(&self, sends: &[Send]) -> Result<()> {
        for send in sends {
            let ticket = send.ticket();
            self.room_for(ticket.bytes).await?;
            while !self.try_to_send(send, &ticket)? {
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

    /// Waits until there is room on the wire for one more record of so many bytes.
    async fn room_for(&self, bytes: u64) -> Result<()> {
        let (mut last, mut moved) = (0, Instant::now());
        loop {
            self.check()?;
            let on_the_wire = self.progress.on_the_wire();
            let all_bytes = self.progress.bytes_on_the_wire() + bytes;
            let is_full = on_the_wire >= self.room.records || all_bytes > self.room.bytes;
            self.progress.full(is_full);
            if !is_full {
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
    fn try_to_send(&self, send: &Send, ticket: &Ticket) -> Result<bool> {
        let record = send.record();
        let topic = self.topics.full(&record.topic);
        let mut sending: BaseRecord<'_, [u8], [u8], Box<Ticket>> =
            BaseRecord::with_opaque_to(&topic, Box::new(ticket.clone()));
        sending.key = record.key.as_deref();
        sending.payload = record.value.as_deref();
        // Counted before: the inbox may have it before we are back.
        self.progress.sent(1, ticket.bytes);
        let Err((error, _)) = self.producer.send(sending) else { return Ok(true) };
        self.progress.not_sent(ticket.bytes);
        match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::QueueFull) => Ok(false),
            _ => Err(for_people(&KafkaError::of(&error))),
        }
    }
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
                self.wire.acknowledged(place, *ticket);
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
