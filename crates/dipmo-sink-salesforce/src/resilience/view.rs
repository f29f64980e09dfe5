//! Everything as it stands, for people and programs. Times are in milliseconds.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use super::level::{Level, LevelState};
use super::org::Org;
use super::quota::{Family, Quota};
use super::{BreakerState, Held, Target};

/// All orgs that a publisher knows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResilienceView {
    /// By name.
    pub orgs: Vec<OrgView>,
}

/// An org.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrgView {
    /// The org as a whole.
    pub whole: LevelView,
    /// Its objects, by name.
    pub objects: Vec<LevelView>,
    /// The share of its allowance that is left to others.
    pub reserve: f64,
    /// Its allowances as last heard of, by name: `api`, `bulk`.
    pub quotas: BTreeMap<&'static str, Quota>,
    /// Why Bulk jobs are held where other calls are not.
    pub jobs_held: Option<HeldView>,
}

/// An org as a whole, or one object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelView {
    /// What it is.
    pub target: Target,
    /// What keeps calls from passing; of several reasons the gravest.
    pub held: Option<HeldView>,
    /// Whether a broken configuration, or a person, stopped it.
    pub stopped: bool,
    /// The rate limiter.
    pub rate: RateView,
    /// The bulkhead.
    pub bulkhead: BulkheadView,
    /// The breaker.
    pub breaker: BreakerView,
    /// How long a call may take.
    pub time_limit_ms: u64,
}

/// Why calls do not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldView {
    /// For machines; those of dipmo have a page in `docs/errors/`.
    pub code: String,
    /// For people.
    pub message: String,
    /// When it ends or is looked at again; without it, a person ends it.
    pub after_ms: Option<u64>,
}

/// A rate limiter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RateView {
    /// Calls that may begin in a period.
    pub calls: u32,
    /// The period.
    pub period_ms: u64,
    /// How long a call waits for its turn.
    pub max_wait_ms: u64,
}

/// A bulkhead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BulkheadView {
    /// Calls that may be under way, as configured.
    pub calls: u32,
    /// Calls that may be under way now: fewer after Salesforce complained about too many.
    pub calls_now: u32,
    /// Calls that are under way.
    pub under_way: u32,
    /// How long a call waits for room.
    pub max_wait_ms: u64,
}

/// A breaker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BreakerView {
    /// The state that it is in. An open one becomes half open with the first call after its time.
    pub state: BreakerState,
    /// Calls that it looks at now.
    pub calls: u32,
    /// How many of those failed.
    pub failed: u32,
    /// Calls that it looks at when it is closed.
    pub window: u32,
    /// The share of failures that opens it.
    pub failure_rate: f64,
    /// How long it stays open.
    pub open_ms: u64,
}

impl OrgView {
    pub(super) fn of(org: &Org, now: Instant) -> Self {
        let held = org.level.check(&[Family::Api], now);
        let jobs_held = org.level.check(&[Family::Api, Family::Bulk], now).err();
        Self {
            whole: LevelView::of(&org.level, now),
            objects: org.objects().iter().map(|level| LevelView::of(level, now)).collect(),
            reserve: org.quota_options().reserve,
            quotas: org.level.meter.read().quotas,
            jobs_held: jobs_held.filter(|_| held.is_ok()).map(HeldView::from),
        }
    }
}

impl LevelView {
    fn of(level: &Level, now: Instant) -> Self {
        let held = level.check(&[Family::Api], now).err();
        let state = level.lock();
        Self {
            target: level.target.clone(),
            held: held.map(HeldView::from),
            stopped: state.standing.is_stopped(now),
            rate: RateView::of(&state),
            bulkhead: BulkheadView::of(level, now),
            breaker: BreakerView::of(&state),
            time_limit_ms: millis(state.time_limit),
        }
    }
}

impl From<Held> for HeldView {
    fn from(held: Held) -> Self {
        Self {
            code: held.why.code().to_owned(),
            message: held.why.message().to_owned(),
            after_ms: held.after.map(millis),
        }
    }
}

impl RateView {
    fn of(state: &LevelState) -> Self {
        let rate = state.limiter.options();
        Self {
            calls: rate.calls,
            period_ms: millis(rate.period),
            max_wait_ms: millis(rate.max_wait),
        }
    }
}

impl BulkheadView {
    fn of(level: &Level, now: Instant) -> Self {
        let options = level.bulkhead.options();
        let (calls_now, under_way) = level.bulkhead.seats(now);
        let max_wait_ms = millis(options.max_wait);
        Self { calls: options.calls, calls_now, under_way, max_wait_ms }
    }
}

impl BreakerView {
    fn of(state: &LevelState) -> Self {
        let (calls, failed) = state.breaker.counted();
        let options = state.breaker.options();
        Self {
            state: state.breaker.state(),
            calls,
            failed,
            window: options.window,
            failure_rate: options.failure_rate,
            open_ms: millis(options.open),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
