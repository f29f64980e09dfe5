//! The publisher: gives a slice to the producer, and answers by its delivery reports.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use dipmo_domain::{Coded as _, Destination, Failure, StoreError};
use dipmo_kafka::KafkaError;
use dipmo_outbox::{Delivery, Ending, JobPlan, JobStep, JobWork, Published, Publisher, Readiness};
use rdkafka::types::RDKafkaErrorCode;
use tokio::time::timeout;

use crate::metrics::Metrics;
use crate::once::Once;
use crate::options::{Company, KafkaSinkOptions};
use crate::pacing::Pacing;
use crate::producer::{NotTaken, Outgoing, Producer};
use crate::producers::Producers;
use crate::record;
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
    once: Once,
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
        options.kafka.config(&options.settings_of_transactions(Company::Alone, "checked")?)?;
        let once = Once::new(options.clone(), Arc::clone(&metrics));
        let producers = Producers::new(options, Arc::clone(&metrics))?;
        Ok(Self { producers, once, metrics })
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
        self.publish_until(deliveries, &Ending::default()).await
    }

    async fn publish_until(&self, deliveries: &[Delivery], ending: &Ending) -> Vec<Published> {
        // What came just when there was nothing for a job: it is in the next one.
        if self.producers.options().exactly_once {
            return vec![Published::NotTried; deliveries.len()];
        }
        let shared = match self.producers.get(Company::Shared) {
            Ok(producer) => producer,
            Err(error) => return vec![self.later(&error); deliveries.len()],
        };
        let mut slice = Slice {
            publisher: self,
            deliveries,
            ending,
            began: Instant::now(),
            pacing: Pacing::new(deliveries),
            reports: Arc::default(),
            company: vec![Company::Shared; deliveries.len()],
            shared,
            alone: None,
        };
        slice.run().await;
        slice.into_answers()
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn slice_size(&self, _: &Destination) -> u32 {
        SLICE_SIZE
    }

    fn readiness(&self, destination: &Destination) -> Readiness {
        self.once.readiness(destination)
    }

    fn job_plan(&self, _: &Destination) -> Option<JobPlan> {
        self.once.plan()
    }

    async fn run_job(&self, job: &dyn JobWork) -> Result<JobStep, StoreError> {
        self.once.run(job).await
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
    ending: &'a Ending,
    began: Instant,
    pacing: Pacing,
    reports: Arc<Reports>,
    /// How each is sent.
    company: Vec<Company>,
    /// The producers of this slice: one that is lost meanwhile is still the one to ask why.
    shared: Arc<Producer>,
    alone: Option<Arc<Producer>>,
}

impl Slice<'_> {
    async fn run(&mut self) {
        let options = self.publisher.producers.options();
        let (begin_within, answer_within) = (options.begin_within(), options.answer_within());
        loop {
            let elapsed = self.began.elapsed();
            if elapsed < begin_within && !self.ending.is_begun() {
                self.fill();
            } else {
                self.pacing.close();
            }
            if self.pacing.is_over() || elapsed >= answer_within || self.ending.is_due() {
                return;
            }
            // The producer is full where something is still ready: there may soon be room.
            let patience = answer_within.saturating_sub(elapsed);
            let wait = if self.pacing.anything_ready() { FULL } else { patience };
            let reports = tokio::select! {
                biased;
                reports = timeout(wait, self.reports.next()) => reports.unwrap_or_default(),
                () = self.ending.due() => return,
            };
            reports.into_iter().for_each(|report| self.came(report));
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
        let prefix = &self.publisher.producers.options().message_id_prefix;
        let record = match Outgoing::of(delivery, prefix) {
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
            Err(NotTaken::Refused(code)) => Sent::Answered(producer.answer(code, topic)),
        }
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
                alone.unwrap_or(&self.shared).answer(code, topic)
            }
        };
        self.pacing.answer(place, answer);
    }

    /// The engine ends. The record may be on the wire for as long as the slice would have had.
    fn unanswered(&self) -> Published {
        let took = self.began.elapsed();
        let problem = format!("no answer within {} s; it may have arrived", took.as_secs());
        let failure = Failure::from(&KafkaError::NotReady { problem });
        let deadline = self.publisher.producers.options().deadline;
        Published::Unanswered { failure, after: deadline.saturating_sub(took) }
    }

    fn into_answers(mut self) -> Vec<Published> {
        self.pacing.close();
        for place in self.pacing.on_the_way() {
            if self.ending.is_due() {
                self.pacing.answer(place, self.unanswered());
            } else {
                self.came(Report { place, result: Err(RDKafkaErrorCode::MessageTimedOut) });
            }
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
