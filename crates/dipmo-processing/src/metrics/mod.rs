//! Figures of the engine: counted batch by batch, read at any time, cheap at any size.
//!
//! Everything here is of this instance since it started, and whoever exports it adds instances up;
//! but for the backlog, which is of the whole database and the same for all of them.
//! `docs/metrics.md` says what each figure means, and what to do about a bad one.

mod heavy;
mod jobs;
mod operations;
mod state;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::{
    Coded as _, Destination, Failure, Histogram, Lane, OrderKey, Outcome, StoreError, Timestamp,
};
use dipmo_outbox::{Delivery, UnitResult, UnitSettlement};
use dipmo_store::Backlog;

use crate::health::{INBOX, Pulse, Trouble};
use crate::telling;
use crate::worker::Tally;
use heavy::Heavy;
pub use jobs::{JobFigures, JobsInHand};
pub use operations::OperationFigures;
pub use state::DestinationState;

/// The figures of an engine.
#[derive(Debug, Default)]
pub struct Metrics {
    figures: Mutex<Figures>,
    pulse: Arc<Pulse>,
}

#[derive(Debug, Default)]
struct Figures {
    shown: Snapshot,
    heavy: Heavy,
}

/// All figures at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The inbox.
    pub inbox: InboxFigures,
    /// The outbox, by destination.
    pub outbox: BTreeMap<String, OutboxFigures>,
    /// How often each edge was taken: process, state before (empty for a new instance), state
    /// after. Instances in a state are what entered it less what left it.
    pub transitions: BTreeMap<(String, String, &'static str), u64>,
    /// Workers that are there now.
    pub workers: usize,
    /// Timers that fired.
    pub timers_fired: u64,
    /// Messages and units that were let go after their head ended, by upkeep.
    pub released: u64,
    /// Operations of operators.
    pub operations: OperationFigures,
    /// Destinations with something to deliver and no publisher.
    pub unserved: Vec<String>,
    /// Errors of the store, by what was tried and code.
    pub store_errors: BTreeMap<(&'static str, &'static str), u64>,
    /// How much waits in the database, as last counted; `None` before the first time, and where
    /// upkeep does not run. [`Backlog::oldest_age`] and [`Backlog::oldest_job_age`] are the ages to
    /// watch.
    pub backlog: Option<Backlog>,
}

/// Figures of the inbox.
#[derive(Clone, Debug, Default)]
pub struct InboxFigures {
    /// Batches that were committed.
    pub batches: u64,
    /// Messages that they claimed.
    pub claimed: u64,
    /// Messages that ended, by outcome.
    pub ended: BTreeMap<Outcome, u64>,
    /// Attempts that failed for now.
    pub retried: u64,
    /// Messages that failed for good.
    pub failed: u64,
    /// Of those, the ones that were to be mirrored as dead letters and could not be.
    pub unmirrored: u64,
    /// Messages that were held behind another.
    pub held: u64,
    /// Messages that were parked for a gap.
    pub parked: u64,
    /// Intents that were written.
    pub intents: u64,
    /// From arrival to end, by the database's clock.
    pub latency: Histogram,
    /// Messages by lane: a hot lane stands out.
    pub lanes: BTreeMap<Lane, u64>,
    /// The order keys with the most messages, heaviest first; a count may be too high.
    pub hot_keys: Vec<(OrderKey, u64)>,
}

/// Figures of one destination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboxFigures {
    /// Whether it takes anything now.
    pub state: DestinationState,
    /// Slices that were given to the publisher.
    pub slices: u64,
    /// Units that were acknowledged.
    pub dispatched: u64,
    /// Attempts that failed for now.
    pub retried: u64,
    /// Units that failed for good.
    pub failed: u64,
    /// Units that were held, or not tried.
    pub put_back: u64,
    /// Settlements and jobs that came too late: somebody else had taken over.
    pub fenced: u64,
    /// How long the publisher took for a slice.
    pub latency: Histogram,
    /// From the transaction that wrote a unit to the one that settled it as delivered. With
    /// [`InboxFigures::latency`] before it, this is the way from the inbox to the destination.
    pub age: Histogram,
    /// From the message that caused a unit, or the transaction that wrote it where none did, to the transaction that
    /// settled it as delivered.
    pub end_to_end: Histogram,
    /// Units that were delivered within the time that was promised; none where none was.
    pub in_time: u64,
    /// Its jobs.
    pub jobs: JobFigures,
}

impl Metrics {
    /// Reads all figures.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let figures = self.lock();
        let mut shown = figures.shown.clone();
        shown.inbox.hot_keys = figures.heavy.top();
        shown
    }

    pub(crate) fn noting(pulse: Arc<Pulse>) -> Self {
        Self { pulse, ..Self::default() }
    }

    /// What whoever counts notes as well, for health.
    pub(crate) const fn pulse(&self) -> &Arc<Pulse> {
        &self.pulse
    }

    pub(crate) fn batch(&self, tally: &Tally, intents: usize) {
        self.pulse.answered();
        self.pulse.worked(INBOX);
        telling::failed_messages(&tally.failed);
        let mut figures = self.lock();
        let Figures { shown, heavy } = &mut *figures;
        let inbox = &mut shown.inbox;
        inbox.batches += 1;
        inbox.claimed += count(tally.ids.len());
        inbox.retried += tally.retried;
        inbox.failed += count(tally.failed.len());
        inbox.unmirrored += tally.unmirrored;
        inbox.held += tally.held;
        inbox.parked += tally.parked;
        inbox.intents += count(intents);
        add_all(&mut inbox.ended, &tally.ended);
        add_all(&mut inbox.lanes, &tally.lanes);
        for (edge, times) in &tally.transitions {
            *shown.transitions.entry(edge.clone()).or_default() += times;
        }
        tally.latencies.iter().for_each(|latency| inbox.latency.add(*latency));
        tally.hot_keys.iter().for_each(|(key, messages)| heavy.add(key, *messages));
    }

    pub(crate) fn workers(&self, active: usize) {
        self.lock().shown.workers = active;
    }

    pub(crate) fn timers_fired(&self, timers: usize) {
        self.lock().shown.timers_fired += count(timers);
    }

    pub(crate) fn released(&self, released: usize) {
        self.lock().shown.released += count(released);
    }

    pub(crate) fn operations(&self, change: impl FnOnce(&mut OperationFigures)) {
        change(&mut self.lock().shown.operations);
    }

    pub(crate) fn unserved(&self, destinations: Vec<String>) {
        self.pulse.unserved(&destinations);
        self.lock().shown.unserved = destinations;
    }

    pub(crate) fn backlog(&self, backlog: Backlog) {
        self.pulse.answered();
        self.pulse.counted(&backlog);
        self.lock().shown.backlog = Some(backlog);
    }

    pub(crate) fn store_failed(&self, what: &'static str, error: &StoreError) {
        let code = error.code().as_str();
        tracing::warn!(what, code, %error, "the store failed");
        self.pulse.failed();
        self.store_error(what, error);
    }

    /// Counts an error that is told of elsewhere.
    pub(crate) fn store_error(&self, what: &'static str, error: &StoreError) {
        let place = (what, error.code().as_str());
        *self.lock().shown.store_errors.entry(place).or_default() += 1;
    }

    /// Whether a destination takes anything now.
    pub(crate) fn state(&self, destination: &Destination, state: &DestinationState) {
        let trouble =
            |why: &Failure| Trouble { code: why.code().to_owned(), text: why.message().to_owned() };
        let (queue, why) = (destination.to_string(), state.why().map(trouble));
        match state {
            DestinationState::Paused { .. } => self.pulse.paused(&queue, why),
            _ => {
                self.pulse.paused(&queue, None);
                self.pulse.closed(&queue, why);
            }
        }
        self.destination(destination, |figures| figures.state = state.clone());
    }

    pub(crate) fn destination(
        &self,
        destination: &Destination,
        change: impl FnOnce(&mut OutboxFigures),
    ) {
        change(self.lock().shown.outbox.entry(destination.to_string()).or_default());
    }

    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutboxFigures {
    pub(crate) fn settled(
        &mut self,
        units: &[UnitSettlement],
        at: Timestamp,
        promised: Option<Duration>,
    ) {
        for unit in units {
            match unit.result {
                UnitResult::Dispatched { .. } => {
                    self.dispatched += 1;
                    let Delivery { created_at, caused_at, .. } = unit.delivery;
                    let took = at.since(caused_at.unwrap_or(created_at));
                    self.age.add(at.since(created_at));
                    self.end_to_end.add(took);
                    self.in_time += u64::from(promised.is_some_and(|within| took <= within));
                }
                UnitResult::Retry { .. } => self.retried += 1,
                UnitResult::Failed { .. } => self.failed += 1,
                UnitResult::Unanswered { .. } | UnitResult::Held | UnitResult::Later => {
                    self.put_back += 1;
                }
                UnitResult::InJob(_) => {}
            }
        }
    }
}

fn add_all<K: Ord + Clone>(all: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (key, count) in more {
        *all.entry(key.clone()).or_default() += count;
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
