//! The producers of a publisher: made when they are needed, made anew when they are lost.

use std::sync::{Arc, Mutex, PoisonError};

use dipmo_kafka::KafkaError;

use crate::metrics::Metrics;
use crate::options::{Company, KafkaSinkOptions};
use crate::producer::Producer;

/// One producer for each kind of company.
pub(crate) struct Producers {
    options: KafkaSinkOptions,
    metrics: Arc<Metrics>,
    shared: Mutex<Option<Arc<Producer>>>,
    alone: Mutex<Option<Arc<Producer>>>,
}

impl Producers {
    /// With a shared producer, so that what is wrong with the options shows at start.
    pub(crate) fn new(
        options: KafkaSinkOptions,
        metrics: Arc<Metrics>,
    ) -> Result<Self, KafkaError> {
        let first = Producer::new(&options, Company::Shared, &metrics)?;
        let (shared, alone) = (Mutex::new(Some(Arc::new(first))), Mutex::new(None));
        Ok(Self { options, metrics, shared, alone })
    }

    pub(crate) const fn options(&self) -> &KafkaSinkOptions {
        &self.options
    }

    /// The producer for records that may share a batch, or not.
    pub(crate) fn get(&self, company: Company) -> Result<Arc<Producer>, KafkaError> {
        let mut place = self.place(company).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(producer) = &*place {
            return Ok(Arc::clone(producer));
        }
        let producer = Arc::new(Producer::new(&self.options, company, &self.metrics)?);
        *place = Some(Arc::clone(&producer));
        Ok(producer)
    }

    /// Gives a producer up that cannot go on; the next who asks gets a new one.
    pub(crate) fn retire(&self, company: Company, producer: Arc<Producer>) {
        let mut place = self.place(company).lock().unwrap_or_else(PoisonError::into_inner);
        if place.as_ref().is_some_and(|current| Arc::ptr_eq(current, &producer)) {
            *place = None;
            self.metrics.rebuilt();
        }
        drop(place);
        // Its end waits for threads, which must not be done where others wait to be polled.
        std::thread::spawn(move || drop(producer));
    }

    const fn place(&self, company: Company) -> &Mutex<Option<Arc<Producer>>> {
        match company {
            Company::Shared => &self.shared,
            Company::Alone => &self.alone,
        }
    }
}
