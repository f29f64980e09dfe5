//! What protects one org, or one object of it; both are levels that a call goes through.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::Failure;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::breaker::{Breaker, BreakerState, NoPassage, Ticket};
use super::bulkhead::{Bulkhead, Seat};
use super::held::{BREAKER_OPEN, BULKHEAD_FULL, Held, RATE_LIMITED};
use super::limiter::{Limiter, NoTurn};
use super::quota::Family;
use super::standing::Standing;
use super::{LevelOptions, Target};
use crate::metrics::GateMeter;

/// A full room is asked again after so long.
const ROOM_AGAIN: Duration = Duration::from_secs(1);

/// One org or object.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) target: Target,
    /// Tells the objects of an org apart.
    pub(super) number: u32,
    pub(super) bulkhead: Arc<Bulkhead>,
    pub(super) meter: Arc<GateMeter>,
    state: Mutex<LevelState>,
    /// Who has it is the next to get a turn: first come, first served.
    head: Semaphore,
    /// Rung when there may be a turn sooner than the head thinks.
    turns_changed: Notify,
}

/// What is decided under one lock.
#[derive(Debug)]
pub(super) struct LevelState {
    pub(super) limiter: Limiter,
    pub(super) breaker: Breaker,
    pub(super) standing: Standing,
    pub(super) time_limit: Duration,
}

/// A turn that is kept for a call, and given back when it is dropped before the call began.
#[derive(Debug)]
pub(super) struct Turn(Option<Arc<Level>>);

impl Level {
    pub(super) fn new(
        target: Target,
        number: u32,
        options: &LevelOptions,
        meter: Arc<GateMeter>,
    ) -> Self {
        let state = LevelState {
            limiter: Limiter::new(options.rate),
            breaker: Breaker::new(options.breaker),
            standing: Standing::default(),
            time_limit: options.time_limit,
        };
        Self {
            target,
            number,
            bulkhead: Arc::new(Bulkhead::new(options.bulkhead, Instant::now())),
            meter,
            state: Mutex::new(state),
            head: Semaphore::new(1),
            turns_changed: Notify::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, LevelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room.
    pub(super) async fn sit(&self) -> Result<Seat, Held> {
        let options = self.bulkhead.options();
        let began = Instant::now();
        let seat = timeout(options.max_wait, self.bulkhead.sit()).await;
        self.meter.waited_for_room(began.elapsed());
        seat.map_err(|_| {
            let (seats, _) = self.bulkhead.seats(Instant::now());
            let message = format!(
                "{}: {seats} calls are under way, and none ended within {:?}",
                self.target, options.max_wait
            );
            Held::new(Failure::coded(BULKHEAD_FULL, &message), Some(ROOM_AGAIN))
        })
    }

    /// Waits for a turn.
    pub(super) async fn keep_turn(self: &Arc<Self>) -> Result<Turn, Held> {
        let began = Instant::now();
        let max_wait = self.lock().limiter.options().max_wait;
        let turn = self.next_turn(began + max_wait).await;
        self.meter.waited_for_turn(began.elapsed());
        turn
    }

    async fn next_turn(self: &Arc<Self>, give_up: Instant) -> Result<Turn, Held> {
        let Ok(_head) = timeout_at(give_up, self.head.acquire()).await else {
            return Err(self.no_turn(Duration::ZERO));
        };
        loop {
            let now = Instant::now();
            let wake = match self.lock().limiter.keep(now) {
                Ok(()) => return Ok(Turn(Some(Arc::clone(self)))),
                Err(NoTurn::Until(at)) => at,
                Err(NoTurn::AllKept) => give_up,
            };
            if wake > give_up || now >= give_up {
                return Err(self.no_turn(wake.saturating_duration_since(now)));
            }
            tokio::select! {
                () = sleep_until(wake) => {}
                () = self.turns_changed.notified() => {}
            }
        }
    }

    fn no_turn(&self, after: Duration) -> Held {
        let rate = self.lock().limiter.options();
        let message = format!(
            "{}: {} calls may begin in {:?}, and there is no turn within {:?}",
            self.target, rate.calls, rate.period, rate.max_wait
        );
        Held::new(Failure::coded(RATE_LIMITED, &message), Some(after))
    }

    /// What is decided about turns has changed.
    pub(super) fn ring(&self) {
        self.turns_changed.notify_one();
    }

    /// Changes something, and counts and logs what that does to the breaker.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut LevelState) -> T) -> T {
        let mut state = self.lock();
        let before = state.breaker.state();
        let result = change(&mut state);
        let after = state.breaker.state();
        drop(state);
        self.tell_breaker(before, after);
        result
    }

    /// To be called after the lock is free again.
    pub(super) fn tell_breaker(&self, before: BreakerState, after: BreakerState) {
        if before == after {
            return;
        }
        self.meter.breaker(after);
        let target = &self.target;
        match after {
            BreakerState::Open => tracing::warn!(%target, "the breaker opened"),
            BreakerState::HalfOpen => tracing::info!(%target, "the breaker is half open"),
            BreakerState::Closed => tracing::info!(%target, "the breaker closed"),
        }
    }

    /// What holds a call here now, apart from room and turns.
    pub(super) fn check(&self, families: &[Family], now: Instant) -> Result<(), Held> {
        self.lock().check(&self.target, families, now)
    }

    /// The same, and turns that are further away than a call would wait for.
    pub(super) fn check_with_turns(&self, families: &[Family], now: Instant) -> Result<(), Held> {
        let state = self.lock();
        state.check(&self.target, families, now)?;
        let patience = now + state.limiter.options().max_wait;
        let free = state.limiter.free(now);
        drop(state);
        match free {
            Err(NoTurn::Until(at)) if at > patience => Err(self.no_turn(at - patience)),
            _ => Ok(()),
        }
    }

    /// A call that began then was one of too many.
    pub(super) fn crowded(&self, began: Instant, now: Instant) {
        if self.bulkhead.halve(began, now) {
            self.meter.crowded();
            let (calls, _) = self.bulkhead.seats(now);
            tracing::warn!(target = %self.target, calls, "too many calls at once: fewer from now on");
        }
    }

    /// A broken configuration: nothing passes until a person has looked at it, or then.
    pub(super) fn stop(&self, why: Failure, restart_after: Option<Duration>) {
        let now = Instant::now();
        let until = restart_after.and_then(|after| now.checked_add(after));
        let mut state = self.lock();
        // Calls that were under way together find out together.
        let news = !state.standing.is_stopped(now);
        let told = why.clone();
        state.standing.stop(why, until);
        drop(state);
        if news {
            let (target, code, message) = (&self.target, told.code(), told.message());
            tracing::error!(%target, code, message, "stopped: a person is needed");
            self.meter.stopped();
        }
    }

    /// A call is not made because of this level.
    pub(super) fn turned_away(&self, held: Held) -> Held {
        self.meter.held(held.why.code());
        held
    }
}

impl LevelState {
    pub(super) fn check(
        &self,
        target: &Target,
        families: &[Family],
        now: Instant,
    ) -> Result<(), Held> {
        self.standing.check(families, now)?;
        self.breaker.check(now).map_err(|NoPassage(after)| {
            let why = match (self.breaker.state(), after) {
                (BreakerState::HalfOpen, _) => "a few calls are tried before more are made",
                (_, None) => "the breaker was opened by hand",
                (_, Some(_)) => "too many calls failed, it is left alone for a while",
            };
            Held::new(Failure::coded(BREAKER_OPEN, &format!("{target}: {why}")), after)
        })
    }

    /// A call begins that was checked.
    pub(super) fn begin(&mut self, now: Instant) -> Ticket {
        self.limiter.begin(now);
        self.breaker.begin()
    }
}

impl Turn {
    /// The call began.
    pub(super) fn used(mut self) {
        if let Some(level) = self.0.take() {
            level.ring();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(level) = self.0.take() {
            level.lock().limiter.give_back();
            level.ring();
        }
    }
}
