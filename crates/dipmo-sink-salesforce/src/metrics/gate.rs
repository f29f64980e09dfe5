//! The figures of one org or object: what its gate did.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::Histogram;

use crate::resilience::{BreakerState, Quota};

/// A call that waited for less did not wait.
const NOTICEABLE: Duration = Duration::from_millis(1);

/// Counts for one gate; a lock of its own, held for an addition.
#[derive(Debug, Default)]
pub(crate) struct GateMeter(Mutex<GateFigures>);

/// What the gate of an org or object did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GateFigures {
    /// How long calls waited for a turn of the rate limiter, where that was noticeable.
    pub rate_waits: Histogram,
    /// How long calls waited for room, where that was noticeable.
    pub room_waits: Histogram,
    /// Calls that were not made, by code.
    pub held: BTreeMap<String, u64>,
    /// How often the breaker came into each state.
    pub breaker: BTreeMap<BreakerState, u64>,
    /// How often the room was halved because of too many calls at once.
    pub crowded: u64,
    /// Pauses that began.
    pub paused: u64,
    /// How often it was stopped.
    pub stopped: u64,
    /// What is left of an org's allowances, as last heard of: `api`, `bulk`.
    pub quotas: BTreeMap<&'static str, Quota>,
}

impl GateMeter {
    pub(crate) fn read(&self) -> GateFigures {
        self.lock().clone()
    }

    pub(crate) fn waited_for_turn(&self, time: Duration) {
        if time >= NOTICEABLE {
            self.lock().rate_waits.add(time);
        }
    }

    pub(crate) fn waited_for_room(&self, time: Duration) {
        if time >= NOTICEABLE {
            self.lock().room_waits.add(time);
        }
    }

    pub(crate) fn held(&self, code: &str) {
        super::count(&mut self.lock().held, code);
    }

    pub(crate) fn breaker(&self, state: BreakerState) {
        *self.lock().breaker.entry(state).or_default() += 1;
    }

    pub(crate) fn crowded(&self) {
        self.lock().crowded += 1;
    }

    pub(crate) fn paused(&self) {
        self.lock().paused += 1;
    }

    pub(crate) fn stopped(&self) {
        self.lock().stopped += 1;
    }

    pub(crate) fn quota(&self, family: &'static str, quota: Quota) {
        self.lock().quotas.insert(family, quota);
    }

    fn lock(&self) -> MutexGuard<'_, GateFigures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
