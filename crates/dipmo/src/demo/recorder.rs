//! A destination that remembers: what arrived, in which order, and what came again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use dipmo_outbox::{Delivery, Published, Publisher};

use super::book::label;
use super::mischief::{Luck, Mischief, answer_lost, not_now};
use super::sabotage::Sabotage;

/// What arrived, for one destination and aggregate, in the order of arrival.
pub(crate) type Arrivals = BTreeMap<(String, String), Vec<Arrival>>;

/// Something that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) label: String,
    /// The idempotency key that it came under.
    pub(crate) key: String,
}

/// Plays the destinations: takes each key once, as an idempotent receiver does, and fails now and
/// then.
pub(crate) struct Recorder {
    mischief: Mischief,
    sabotage: Option<Sabotage>,
    recorded: Mutex<Recorded>,
}

#[derive(Default)]
struct Recorded {
    arrived: Arrivals,
    keys: HashSet<String>,
    attempts: HashMap<String, u32>,
    redelivered: u64,
}

impl Recorder {
    pub(crate) fn new(mischief: Mischief, sabotage: Option<Sabotage>) -> Self {
        Self { mischief, sabotage, recorded: Mutex::default() }
    }

    /// Tries to take a delivery in. The second value is true when it is here now, whatever the
    /// sender is told.
    pub(crate) fn take(&self, delivery: &Delivery) -> (Published, bool) {
        let key = delivery.idempotency_key();
        let mut recorded = self.lock();
        let attempts = recorded.attempts.entry(key.clone()).or_default();
        let luck = self.mischief.luck(&key, *attempts);
        *attempts += 1;
        if luck == Luck::NotNow {
            return (not_now(), false);
        }
        recorded.record(delivery, key, self.sabotage);
        let answer = if luck == Luck::Works { Published::delivered() } else { answer_lost() };
        (answer, true)
    }

    /// Everything that arrived, and how many deliveries came again and changed nothing.
    pub(crate) fn arrived(&self) -> (Arrivals, u64) {
        let recorded = self.lock();
        (recorded.arrived.clone(), recorded.redelivered)
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorded {
    fn record(&mut self, delivery: &Delivery, key: String, sabotage: Option<Sabotage>) {
        let seen = !self.keys.insert(key.clone());
        if seen {
            self.redelivered += 1;
        }
        if seen && sabotage != Some(Sabotage::Double) {
            return;
        }
        let payload = delivery.payload.read().unwrap_or_default();
        let arrival = Arrival { label: label(&delivery.event_type, &payload), key };
        let place = (delivery.destination.to_string(), delivery.aggregate_id.clone());
        let number = self.keys.len();
        let list = self.arrived.entry(place).or_default();
        match sabotage {
            Some(Sabotage::Lose) if number.is_multiple_of(100) => {}
            Some(Sabotage::Reorder) => list.insert(0, arrival),
            _ => list.push(arrival),
        }
    }
}

/// As a Kafka producer: in order, and nothing behind what did not arrive.
#[async_trait]
impl Publisher for Recorder {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        if let Some(first) = deliveries.first() {
            tokio::time::sleep(self.mischief.delay(&first.idempotency_key())).await;
        }
        let mut stopped = HashSet::new();
        let mut answers = Vec::with_capacity(deliveries.len());
        for delivery in deliveries {
            if stopped.contains(&delivery.order_key) {
                answers.push(Published::NotTried);
                continue;
            }
            let (answer, _) = self.take(delivery);
            if !matches!(answer, Published::Delivered { .. }) {
                stopped.insert(delivery.order_key.clone());
            }
            answers.push(answer);
        }
        answers
    }

    fn keeps_order(&self) -> bool {
        true
    }
}
