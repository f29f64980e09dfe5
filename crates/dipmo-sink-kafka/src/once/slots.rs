//! The slots of a publisher: made when they are needed, kept for the next job when all is clear.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use dipmo_outbox::JobId;

use super::slot::{Slot, Trouble};
use crate::metrics::Metrics;
use crate::options::{Company, KafkaSinkOptions};

/// So many wait for their next job at most: each has threads and connections.
const IDLE: usize = 8;

/// Of the name of the client so much is in the name of a slot, for which a job has 255 characters.
const PREFIX: usize = 100;

/// Slots that nobody uses now.
pub(super) struct Slots {
    options: Arc<KafkaSinkOptions>,
    metrics: Arc<Metrics>,
    idle: Mutex<Idle>,
}

/// What the next job can have.
#[derive(Default)]
struct Idle {
    slots: Vec<Slot>,
    /// Names without a producer. The brokers keep every name for days: none is made without need.
    names: Vec<String>,
}

impl Slots {
    pub(super) fn new(options: KafkaSinkOptions, metrics: Arc<Metrics>) -> Self {
        Self { options: Arc::new(options), metrics, idle: Mutex::default() }
    }

    /// A slot for a job that has none.
    pub(super) async fn take(&self, job: JobId) -> Result<Slot, Trouble> {
        let name = match self.idle(|idle| idle.slots.pop()) {
            Some(slot) if !slot.producer().is_lost() => return Ok(slot),
            Some(lost) => lost.name().to_owned(),
            None => self.idle(|idle| idle.names.pop()).unwrap_or_else(|| self.name(job)),
        };
        let opened = self.open(&name, Company::Shared).await;
        if opened.is_err() {
            // No job has it yet.
            self.idle(|idle| idle.names.push(name));
        }
        opened
    }

    /// The slot of this name, whoever has it now.
    pub(super) async fn open(&self, name: &str, company: Company) -> Result<Slot, Trouble> {
        Slot::open(&self.options, name, company, &self.metrics).await
    }

    /// The job of a slot has no unit left: the slot may serve another.
    pub(super) fn put_back(&self, slot: Slot) {
        self.idle(|idle| {
            if idle.slots.len() < IDLE && slot.company() == Company::Shared {
                idle.slots.push(slot);
            } else {
                idle.names.push(slot.name().to_owned());
            }
        });
    }

    fn idle<T>(&self, change: impl FnOnce(&mut Idle) -> T) -> T {
        change(&mut self.idle.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A name that nobody has or ever had: two slots of one name would take each other's markers for
    /// their own. The job is in it, which is one of its database; beside that it is by chance, as
    /// the operating system gives it.
    fn name(&self, job: JobId) -> String {
        let prefix: String = self.options.kafka.client_id.chars().take(PREFIX).collect();
        format!("{prefix}-outbox-{job}-{:016x}", RandomState::new().hash_one(job))
    }
}

#[cfg(test)]
mod tests {
    use dipmo_kafka::KafkaOptions;

    use super::*;

    #[test]
    fn no_name_is_given_twice_and_every_name_fits() {
        let mut kafka = KafkaOptions::new("localhost:1");
        kafka.client_id = "ä".repeat(300);
        let slots = Slots::new(KafkaSinkOptions::new(kafka), Arc::default());
        let [one, other] = [slots.name(JobId(i64::MAX)), slots.name(JobId(i64::MAX))];
        assert_ne!(one, other);
        assert!(one.chars().count() <= 255, "{one}");
    }
}
