//! An org: its own level, those of its objects, and the guard of its allowances.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dipmo_domain::Failure;
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::held::QUOTA_RESERVED;
use super::level::Level;
use super::quota::{Family, Quota, QuotaPause, QuotaSource};
use super::{QuotaOptions, ResilienceOptions, Target, probe};
use crate::metrics::Metrics;

/// Nothing is left alone for longer than this because of what it said about when it is back.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(3_600);

/// One org.
pub(super) struct Org {
    pub(super) level: Arc<Level>,
    pub(super) source: Option<Arc<dyn QuotaSource>>,
    options: ResilienceOptions,
    objects: Mutex<BTreeMap<String, Arc<Level>>>,
    guard: Mutex<Guard>,
    pauses: AtomicU64,
    metrics: Arc<Metrics>,
}

/// What the guard of allowances goes by.
struct Guard {
    options: QuotaOptions,
    /// What the last answers said when a pause ended: no news, so no reason for another one.
    old_news: Option<Quota>,
}

impl Org {
    pub(super) fn new(
        name: &str,
        options: ResilienceOptions,
        source: Option<Arc<dyn QuotaSource>>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let target = Target::org(name);
        let meter = metrics.gate(&target);
        Self {
            level: Arc::new(Level::new(target, 0, &options.org, meter)),
            source,
            guard: Mutex::new(Guard { options: options.quota, old_news: None }),
            options,
            objects: Mutex::default(),
            pauses: AtomicU64::new(0),
            metrics,
        }
    }

    /// The level of an object, made when it is first asked for.
    pub(super) fn object(&self, object: &str) -> Arc<Level> {
        let mut objects = self.lock_objects();
        if let Some(level) = objects.get(object) {
            return Arc::clone(level);
        }
        let target = Target::object(&self.level.target.org, object);
        let meter = self.metrics.gate(&target);
        let number = u32::try_from(objects.len() + 1).unwrap_or(u32::MAX);
        let level = Arc::new(Level::new(target, number, &self.options.of_object(object), meter));
        objects.insert(object.to_owned(), Arc::clone(&level));
        level
    }

    /// The level of an object that was asked for before.
    pub(super) fn known_object(&self, object: &str) -> Option<Arc<Level>> {
        self.lock_objects().get(object).map(Arc::clone)
    }

    /// All that were asked for.
    pub(super) fn objects(&self) -> Vec<Arc<Level>> {
        self.lock_objects().values().map(Arc::clone).collect()
    }

    pub(super) fn restart_after(&self) -> Option<Duration> {
        self.options.restart_after
    }

    pub(super) fn quota_options(&self) -> QuotaOptions {
        self.lock_guard().options
    }

    pub(super) fn set_quota_options(&self, options: QuotaOptions) {
        self.lock_guard().options = options;
    }

    /// Salesforce said when it will be back.
    pub(super) fn back_off(&self, why: Failure, after: Duration) {
        let until = Instant::now() + after.min(LONGEST_BACK_OFF);
        self.level.lock().standing.back_off(why, until);
    }

    /// Pauses when the last answers of the org say that only the reserve is left.
    pub(super) fn watch_usage(self: &Arc<Self>) {
        let Some(quota) = self.source.as_ref().and_then(|source| source.usage()) else {
            return;
        };
        self.level.meter.quota(Family::Api.name(), quota);
        let options = {
            let guard = self.lock_guard();
            if guard.old_news == Some(quota) || quota.has_more_than(guard.options.reserve) {
                return;
            }
            guard.options
        };
        let message = format!(
            "{}: {} of {} calls a day are left, and {} % of them are for others",
            self.level.target,
            quota.remaining,
            quota.max,
            options.reserve * 100.0
        );
        self.pause(Family::Api, Failure::coded(QUOTA_RESERVED, &message), options.probe_first);
    }

    /// Leaves the org alone until its allowance is asked about and found well, first after `wait`.
    pub(super) fn pause(self: &Arc<Self>, family: Family, why: Failure, wait: Duration) {
        // Without anybody to ask, and anybody who could, time has to do.
        let (Some(_), Ok(runtime)) = (&self.source, Handle::try_current()) else {
            return self.back_off(why, wait);
        };
        let now = Instant::now();
        let serial = self.pauses.fetch_add(1, Ordering::Relaxed);
        let mut state = self.level.lock();
        let pause = state.standing.quota(family);
        if pause.is_some() {
            return;
        }
        *pause = Some(QuotaPause::new(serial, why.clone(), now, wait));
        drop(state);
        let (target, code, message) = (&self.level.target, why.code(), why.message());
        tracing::warn!(%target, family = family.name(), code, message, "paused");
        self.level.meter.paused();
        runtime.spawn(probe::until_well(Arc::downgrade(self), family, serial));
    }

    /// Ends every pause of it.
    pub(super) fn resume(&self) {
        self.forget_news();
        self.level.lock().standing.resume();
    }

    /// What the last answers said is no reason for another pause.
    pub(super) fn forget_news(&self) {
        self.lock_guard().old_news = self.source.as_ref().and_then(|source| source.usage());
    }

    fn lock_objects(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Level>>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Org {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Org").field("level", &self.level).finish_non_exhaustive()
    }
}
