//! What everything in a run shares.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_store_memory::MemoryStore;

use crate::chance::Chance;
use crate::clock::Clock;
use crate::fault::Traffic;
use crate::options::Options;
use crate::outside::{Outside, Service};
use crate::trace::Trace;
use crate::wake::Listeners;
use crate::witness::Witness;

/// What must never happen and did, with the steps before it.
#[derive(Clone)]
pub(crate) struct Violation {
    pub(crate) what: String,
    pub(crate) last_steps: Vec<String>,
}

/// One run.
pub(crate) struct Sim {
    pub(crate) options: Options,
    pub(crate) chance: Chance,
    pub(crate) clock: Clock,
    pub(crate) store: MemoryStore,
    pub(crate) traffic: Traffic,
    pub(crate) listeners: Listeners,
    pub(crate) witness: Mutex<Witness>,
    pub(crate) outside: Mutex<Outside>,
    service: Mutex<Service>,
    trace: Mutex<Trace>,
    violation: Mutex<Option<Violation>>,
    calm: AtomicBool,
    /// Until when destinations take nothing, in milliseconds of the run.
    closed_until: AtomicU64,
}

impl Sim {
    pub(crate) fn new(options: Options, clock: Clock, store: MemoryStore) -> Arc<Self> {
        Arc::new(Self {
            chance: Chance::new(options.seed),
            options,
            clock,
            store,
            traffic: Traffic::default(),
            listeners: Listeners::default(),
            witness: Mutex::default(),
            outside: Mutex::default(),
            service: Mutex::default(),
            trace: Mutex::new(Trace::new()),
            violation: Mutex::default(),
            calm: AtomicBool::new(false),
            closed_until: AtomicU64::new(0),
        })
    }

    /// True with this chance, while things go wrong.
    pub(crate) fn fault(&self, one_in: u32) -> bool {
        !self.is_calm() && self.chance.one_in(one_in)
    }

    /// Ends the time of faults.
    pub(crate) fn calm_down(&self) {
        self.step("calm");
        self.calm.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }

    /// Destinations take nothing for a while.
    pub(crate) fn close_for(&self, time: Duration) {
        let until = self.clock.elapsed() + time;
        let until = u64::try_from(until.as_millis()).unwrap_or(u64::MAX);
        self.closed_until.store(until, Ordering::Relaxed);
    }

    /// For how long they still take nothing.
    pub(crate) fn closed_for(&self) -> Duration {
        let until = Duration::from_millis(self.closed_until.load(Ordering::Relaxed));
        until.saturating_sub(self.clock.elapsed())
    }

    /// Notes a step.
    pub(crate) fn step(&self, what: impl Display) {
        let line = format!("{:>7} {what}", self.clock.elapsed().as_millis());
        lock(&self.trace).step(line);
    }

    /// Notes that something happened that must never happen. The first one counts: it may well be
    /// the cause of the others.
    pub(crate) fn violation(&self, what: impl Display) {
        self.step(format_args!("VIOLATION {what}"));
        let mut first = lock(&self.violation);
        if first.is_none() {
            let last_steps = lock(&self.trace).last();
            *first = Some(Violation { what: what.to_string(), last_steps });
        }
    }

    pub(crate) fn is_broken(&self) -> bool {
        lock(&self.violation).is_some()
    }

    pub(crate) fn broken(&self) -> Option<Violation> {
        lock(&self.violation).clone()
    }

    pub(crate) fn trace(&self) -> MutexGuard<'_, Trace> {
        lock(&self.trace)
    }

    pub(crate) fn witness(&self) -> MutexGuard<'_, Witness> {
        lock(&self.witness)
    }

    pub(crate) fn outside(&self) -> MutexGuard<'_, Outside> {
        lock(&self.outside)
    }

    pub(crate) fn service(&self) -> MutexGuard<'_, Service> {
        lock(&self.service)
    }
}

/// Everything runs on one thread, so that a lock never waits; a panic under one has been noted.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
