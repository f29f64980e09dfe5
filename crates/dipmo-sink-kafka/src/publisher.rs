//! The publisher: gives a slice to the producer, and answers by its delivery reports.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use dipmo_domain::{Coded as _, Destination, Failure};
use dipmo_kafka::{KafkaError, Verdict};
use dipmo_outbox::{Delivery, Published, Publisher};
use rdkafka::types::RDKafkaErrorCode;
use tokio::time::timeout;

use crate::error::SinkError;
use crate::metrics::Metrics;
use crate::options::{Company, KafkaSinkOptions};
use crate::pacing::Pacing;
use crate::producer::{NotTaken, Outgoing, Producer};
use crate::producers::Producers;
use crate::record::{self, Content};
use crate::reports::{Report, Reports, Ticket};

/// A slice is spread over the partitions of its topic, and what does not fill a batch there waits
/// for the linger and is a request of its own: the more of them, the fuller the requests. No more than
/// this, because every courier has one in memory.
const SLICE_SIZE: u32 = 1_000;

/// How long to wait for room in a producer that others have filled.
const FULL: Duration = Duration::from_millis(10);

/// Delivers to `KAFKA:<topic>`.
///
/// # Why nothing overtakes
///
/// - **In a slice**, the next record of a key is given to the producer when the last one was
///   acknowledged. A producer that has several of a key on their way cannot promise this: after a
///   refusal librdkafka goes on with those behind, and a broker that has not heard of a producer
///   before takes whatever sequence number comes first. Different keys do go out together.
/// - **In this instance**, a record that was given up, or whose `publish` was dropped, may still be
///   in the producer. Sent again, it stands behind its own first copy in the same queue, and the
///   idempotent producer keeps that order over its retries. A request that was given up on the wire
///   has an older epoch than the next one, and a broker that saw the newer refuses the older. The
///   next record of the key waits for the second copy: a doubled record, never a swapped one.
/// - **Between instances**, what a producer was given ends before the dispatcher's deadline, and the
///   lease of the lane outlives that.
/// - **Where a record changes its producer**, the broker does not connect the two: after a fatal
///   error of librdkafka, or when a `publish` was dropped that sent a record alone. Only then could
///   a request that lingers on the wire land late; its `message-id` says that it is not new.
///
/// The price is that one key gets about one record through for each round trip and linger.
pub struct KafkaPublisher {
    producers: Producers,
    metrics: Arc<Metrics>,
}

impl KafkaPublisher {
    /// A publisher. No broker is asked for anything yet: one that is away is waited for, and a
    /// topic may appear later.
    ///
    /// # Errors
    /// When a property is not valid, or librdkafka refuses to make a producer.
    pub fn new(options: KafkaSinkOptions) -> Result<Self, KafkaError> {
        let metrics = Arc::new(Metrics::default());
        // Both kinds are checked now: the second is needed when there is trouble already.
        options.kafka.config(&options.settings(Company::Alone)?)?;
        let producers = Producers::new(options, Arc::clone(&metrics))?;
        Ok(Self { producers, metrics })
    }

    /// The figures of this publisher.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}

#[async_trait]
impl Publisher for KafkaPublisher {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let shared = match self.producers.get(Company::Shared) {
            Ok(producer) => producer,
            Err(error) => return vec![self.later(&error); deliveries.len()],
        };
        let mut slice = Slice {
            publisher: self,
            deliveries,
            pacing: Pacing::new(deliveries),
            reports: Arc::default(),
            company: vec![Company::Shared; deliveries.len()],
            shared,
            alone: None,
        };
        slice.run(Instant::now()).await;
        slice.into_answers()
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn slice_size(&self, _: &Destination) -> u32 {
        SLICE_SIZE
    }
}

impl KafkaPublisher {
    /// Not now, and this is why.
    fn later(&self, error: &KafkaError) -> Published {
        self.metrics.failed(error.code());
        Published::Retry { failure: Failure::from(error), after: None }
    }
}

/// A slice on its way.
struct Slice<'a> {
    publisher: &'a KafkaPublisher,
    deliveries: &'a [Delivery],
    pacing: Pacing,
    reports: Arc<Reports>,
    /// How each is sent.
    company: Vec<Company>,
    /// The producers of this slice: one that is lost meanwhile is still the one to ask why.
    shared: Arc<Producer>,
    alone: Option<Arc<Producer>>,
}

impl Slice<'_> {
    async fn run(&mut self, began: Instant) {
        let options = self.publisher.producers.options();
        let (begin_within, answer_within) = (options.begin_within(), options.answer_within());
        loop {
            let elapsed = began.elapsed();
            if elapsed < begin_within {
                self.fill();
            } else {
                self.pacing.close();
            }
            if self.pacing.is_over() || elapsed >= answer_within {
                return;
            }
            // The producer is full where something is still ready: there may soon be room.
            let patience = answer_within.saturating_sub(elapsed);
            let wait = if self.pacing.anything_ready() { FULL } else { patience };
            if let Ok(reports) = timeout(wait, self.reports.next()).await {
                reports.into_iter().for_each(|report| self.came(report));
            }
        }
    }

    /// Gives the producer everything that may go out now, until it is full.
    fn fill(&mut self) {
        while let Some(place) = self.pacing.begin() {
            match self.send(place) {
                Sent::OnItsWay => {}
                Sent::NoRoom => return self.pacing.put_back(place),
                Sent::Answered(answer) => self.pacing.answer(place, answer),
            }
        }
    }

    fn send(&mut self, place: usize) -> Sent {
        let producer = match self.producer(place) {
            Ok(producer) => producer,
            Err(error) => return Sent::Answered(self.publisher.later(&error)),
        };
        let delivery = &self.deliveries[place];
        let record = match self.outgoing(delivery) {
            Ok(record) => record,
            Err(error) => {
                self.publisher.metrics.failed(error.code());
                return Sent::Answered(Published::Refused(Failure::from(&error)));
            }
        };
        let topic = record.topic;
        let ticket = Ticket {
            reports: Arc::clone(&self.reports),
            place,
            bytes: record.bytes(),
            sent: Instant::now(),
        };
        match producer.send(record, ticket) {
            Ok(()) => Sent::OnItsWay,
            Err(NotTaken::Full) => Sent::NoRoom,
            Err(NotTaken::Refused(code)) => Sent::Answered(self.failed(&producer, code, topic)),
        }
    }

    fn outgoing<'d>(&self, delivery: &'d Delivery) -> Result<Outgoing<'d>, SinkError> {
        let prefix = &self.publisher.producers.options().message_id_prefix;
        let topic = record::topic(delivery)
            .ok_or_else(|| SinkError::NotKafka { destination: delivery.destination.to_string() })?;
        Ok(Outgoing { topic, key: record::key(delivery), content: Content::of(delivery, prefix)? })
    }

    /// The producer for a place. The one for records alone is made when the first is in doubt.
    fn producer(&mut self, place: usize) -> Result<Arc<Producer>, KafkaError> {
        match (self.company[place], &self.alone) {
            (Company::Shared, _) => Ok(Arc::clone(&self.shared)),
            (Company::Alone, Some(alone)) => Ok(Arc::clone(alone)),
            (Company::Alone, None) => {
                let alone = self.publisher.producers.get(Company::Alone)?;
                Ok(Arc::clone(self.alone.insert(alone)))
            }
        }
    }

    /// Takes a delivery report in.
    fn came(&mut self, Report { place, result }: Report) {
        let answer = match result {
            Ok(()) => Published::delivered(),
            // The broker refuses whole batches: alone, a record is refused for its own size only.
            Err(RDKafkaErrorCode::MessageSizeTooLarge)
                if self.company[place] == Company::Shared =>
            {
                self.company[place] = Company::Alone;
                return self.pacing.put_back(place);
            }
            Err(code) => {
                let topic = record::topic(&self.deliveries[place]).unwrap_or_default();
                let alone = self.alone.as_ref().filter(|_| self.company[place] == Company::Alone);
                self.failed(alone.unwrap_or(&self.shared), code, topic)
            }
        };
        self.pacing.answer(place, answer);
    }

    /// What a record is answered with that was not delivered.
    fn failed(&self, producer: &Producer, code: RDKafkaErrorCode, topic: &str) -> Published {
        let error = producer.explain(code, topic);
        match error.verdict() {
            Verdict::Permanent => {
                self.publisher.metrics.failed(error.code());
                Published::Refused(Failure::from(&error))
            }
            // Nobody is there: no attempt is counted against the record.
            Verdict::Transient if producer.last_error().is_some() => {
                self.publisher.metrics.failed(error.code());
                Published::NotTried
            }
            Verdict::Transient | Verdict::Fatal => self.publisher.later(&error),
        }
    }

    fn into_answers(mut self) -> Vec<Published> {
        self.pacing.close();
        for place in self.pacing.on_the_way() {
            self.came(Report { place, result: Err(RDKafkaErrorCode::MessageTimedOut) });
        }
        let alone = self.alone.map(|producer| (Company::Alone, producer));
        for (company, producer) in alone.into_iter().chain([(Company::Shared, self.shared)]) {
            if producer.is_lost() {
                self.publisher.producers.retire(company, producer);
            }
        }
        self.pacing.into_answers()
    }
}

/// What became of giving a record to the producer.
enum Sent {
    OnItsWay,
    NoRoom,
    Answered(Published),
}
