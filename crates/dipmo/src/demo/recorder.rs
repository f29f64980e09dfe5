//! A destination that remembers: what arrived, in which order, and what came again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use dipmo_outbox::{Delivery, Published};
use serde_json::Value;

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

/// Plays the receivers: takes each key once, as an idempotent receiver does, and fails now and then.
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

    /// What happens to the next attempt at a delivery.
    pub(crate) fn luck(&self, key: &str) -> Luck {
        let mut recorded = self.lock();
        let attempts = recorded.attempts.entry(key.to_owned()).or_default();
        let luck = self.mischief.luck(key, *attempts);
        *attempts += 1;
        luck
    }

    /// Tries to take a delivery in. The second value is true when it is here now, whatever the
    /// sender is told.
    pub(crate) fn take(&self, delivery: &Delivery) -> (Published, bool) {
        let key = delivery.idempotency_key();
        let luck = self.luck(&key);
        if luck == Luck::NotNow {
            return (not_now(), false);
        }
        let place = (delivery.destination.to_string(), delivery.aggregate_id.clone());
        let payload = delivery.payload.read().unwrap_or_default();
        self.arrive(place, key, &delivery.event_type, &payload);
        let answer = if luck == Luck::Works { Published::delivered() } else { answer_lost() };
        (answer, true)
    }

    /// Something arrived under a key, for a destination and an aggregate. False when the key was
    /// known.
    pub(crate) fn arrive(
        &self,
        place: (String, String),
        key: String,
        event_type: &str,
        payload: &Value,
    ) -> bool {
        let arrival = Arrival { label: label(event_type, payload), key };
        self.lock().record(place, arrival, self.sabotage)
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
    fn record(
        &mut self,
        place: (String, String),
        arrival: Arrival,
        sabotage: Option<Sabotage>,
    ) -> bool {
        let is_new = self.keys.insert(arrival.key.clone());
        if !is_new {
            self.redelivered += 1;
        }
        if !is_new && sabotage != Some(Sabotage::Double) {
            return false;
        }
        let number = self.keys.len();
        let list = self.arrived.entry(place).or_default();
        match sabotage {
            Some(Sabotage::Lose) if number.is_multiple_of(100) => {}
            Some(Sabotage::Reorder) => list.insert(0, arrival),
            _ => list.push(arrival),
        }
        is_new
    }
}
