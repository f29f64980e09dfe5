//! A slot: a producer of transactions under a name that nobody else has.

use std::sync::Arc;
use std::time::Duration;

use dipmo_kafka::KafkaError;
use dipmo_outbox::JobId;
use rdkafka::consumer::ConsumerGroupMetadata;
use rdkafka::error::KafkaResult;
use rdkafka::producer::{Producer as Client, ThreadedProducer};
use rdkafka::types::RDKafkaErrorCode as Rd;
use tokio::task::spawn_blocking;

use super::marker;
use crate::metrics::Metrics;
use crate::options::{Company, KafkaSinkOptions};
use crate::producer::{Hearing, Producer};

/// A producer of transactions, one at a time. Whoever drops it leaves what is open in it to who takes
/// it over.
pub(super) struct Slot {
    name: String,
    company: Company,
    options: Arc<KafkaSinkOptions>,
    group: Arc<ConsumerGroupMetadata>,
    /// There but for the moment of its end.
    producer: Option<Arc<Producer>>,
}

/// Why a call about a transaction brought nothing.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) code: Option<Rd>,
    pub(super) error: KafkaError,
}

impl Slot {
    /// Takes a name, and with it whatever was going on under it: when this returns, what was open is
    /// aborted, what was being committed is committed, and whoever had the name can do neither any
    /// more.
    pub(super) async fn open(
        options: &Arc<KafkaSinkOptions>,
        name: &str,
        company: Company,
        metrics: &Arc<Metrics>,
    ) -> Result<Self, Trouble> {
        let (options, metrics) = (Arc::clone(options), Arc::clone(metrics));
        let name = name.to_owned();
        blocking(move || {
            let producer = Producer::transactional(&options, company, &name, &metrics)?;
            let init = producer.client().init_transactions(options.call_within());
            init.map_err(|error| Trouble::of(&error, producer.last_error()))?;
            let group = Arc::new(marker::group(&options, &name)?);
            Ok(Self { name, company, options, group, producer: Some(Arc::new(producer)) })
        })
        .await
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) const fn company(&self) -> Company {
        self.company
    }

    pub(super) fn producer(&self) -> &Producer {
        self.producer.as_ref().expect("it is taken when the slot ends, and not before")
    }

    /// Begins a transaction; the broker hears of it with the first record.
    pub(super) async fn begin(&self) -> Result<(), Trouble> {
        self.call(|producer, _| producer.begin_transaction()).await
    }

    /// Makes the marker of a job part of the transaction.
    pub(super) async fn mark(&self, job: JobId, topic: &str) -> Result<(), Trouble> {
        let (group, topic) = (Arc::clone(&self.group), topic.to_owned());
        self.call(move |producer, within| {
            producer.send_offsets_to_transaction(&marker::of(job, &topic)?, &group, within)
        })
        .await
    }

    /// Commits. After an error nobody knows whether it did, but who asks for the marker.
    pub(super) async fn commit(&self) -> Result<(), Trouble> {
        self.call(Client::commit_transaction).await
    }

    /// Ends the transaction without any effect.
    pub(super) async fn abort(&self) -> Result<(), Trouble> {
        self.call(Client::abort_transaction).await
    }

    /// The job that was last committed here for a topic.
    pub(super) async fn last_committed(&self, topic: &str) -> Result<Option<JobId>, Trouble> {
        let (options, name) = (Arc::clone(&self.options), self.name.clone());
        let (topic, last) = (topic.to_owned(), self.producer().last_error());
        blocking(move || {
            let read = marker::read(&options, &name, &topic, options.call_within());
            read.map_err(|error| Trouble::of(&error, last))
        })
        .await
    }

    async fn call(
        &self,
        call: impl FnOnce(&ThreadedProducer<Hearing>, Duration) -> KafkaResult<()> + Send + 'static,
    ) -> Result<(), Trouble> {
        let Some(producer) = self.producer.clone() else { return Ok(()) };
        let within = self.options.call_within();
        blocking(move || {
            let called = call(producer.client(), within);
            called.map_err(|error| Trouble::of(&error, producer.last_error()))
        })
        .await
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Its end waits for threads, which must not be done where others wait to be polled.
        let producer = self.producer.take();
        let ends = move || drop(producer);
        // Where there is no thread to be had, it has ended here by what became of the closure.
        drop(std::thread::Builder::new().spawn(ends));
    }
}

impl Trouble {
    /// In the words of the client, unless it complains of something that says more.
    pub(super) fn of(error: &rdkafka::error::KafkaError, last: Option<KafkaError>) -> Self {
        let code = error.rdkafka_error_code();
        let error = match (KafkaError::of(error), last) {
            (KafkaError::Unreachable { .. }, Some(reason)) => reason,
            (error, _) => error,
        };
        Self { code, error }
    }
}

impl From<KafkaError> for Trouble {
    fn from(error: KafkaError) -> Self {
        Self { code: None, error }
    }
}

/// librdkafka waits for the broker in these calls, which no thread of the runtime should do.
async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, Trouble> + Send + 'static,
) -> Result<T, Trouble> {
    spawn_blocking(call).await.unwrap_or_else(|error| {
        Err(Trouble::from(KafkaError::Unexpected { problem: error.to_string() }))
    })
}
