//! What can be told about resilience, and changed while it runs.

use std::collections::BTreeMap;
use std::time::Duration;

use super::ResilienceError;

/// How an org and its objects are protected. The defaults suit one dipmo instance that has an org
/// for itself: each instance counts for itself, so divide by their number.
#[derive(Clone, Debug, PartialEq)]
pub struct ResilienceOptions {
    /// The org as a whole.
    pub org: LevelOptions,
    /// Each object of it, unless `objects` says otherwise.
    pub object: LevelOptions,
    /// Objects with options of their own, by name.
    pub objects: BTreeMap<String, LevelOptions>,
    /// The daily allowance of calls.
    pub quota: QuotaOptions,
    /// After so long a destination that was stopped is tried again. Defaults to `None`: a person
    /// starts it.
    pub restart_after: Option<Duration>,
}

/// What protects one org, or one object of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelOptions {
    /// How many calls may begin in a time.
    pub rate: RateOptions,
    /// How many calls may be under way at once.
    pub bulkhead: BulkheadOptions,
    /// When to leave it alone.
    pub breaker: BreakerOptions,
    /// How long a call may take. Defaults to 30 s; of org and object the shorter one counts.
    pub time_limit: Duration,
}

/// Of a rate limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateOptions {
    /// So many calls begin in any period at most. Defaults to 50.
    pub calls: u32,
    /// The period. Defaults to 1 s.
    pub period: Duration,
    /// A call waits so long for its turn, then it is not made. Defaults to 2 s.
    pub max_wait: Duration,
}

/// Of a bulkhead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkheadOptions {
    /// So many calls are under way at most. Defaults to 10 for an org and 8 for an object, so that
    /// one object whose calls hang leaves room for the others.
    pub calls: u32,
    /// A call waits so long for room, then it is not made. Defaults to 10 s.
    pub max_wait: Duration,
    /// After Salesforce complained about too many calls at once the room is halved, and grows again
    /// by one for each such time without a complaint. Defaults to 10 s.
    pub recover_every: Duration,
}

/// Of a circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakerOptions {
    /// The last so many calls are looked at. Defaults to 50.
    pub window: u32,
    /// It opens when at least this share of them failed, between 0 and 1. Defaults to 0.5.
    pub failure_rate: f64,
    /// And when there were at least so many. Defaults to 10 for an object and the whole window for
    /// an org.
    pub minimum_calls: u32,
    /// And when so many objects failed: what one object fails at is not the org's fault. Defaults
    /// to 1 for an object and 2 for an org.
    pub minimum_objects: u32,
    /// So long nothing passes once it is open. Defaults to 30 s.
    pub open: Duration,
    /// Then so many calls are let through, and decide. Defaults to 3.
    pub probes: u32,
}

/// Of the guard of the daily allowance of calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuotaOptions {
    /// This share of the allowance is left to others, between 0 and 1. Defaults to 0.2.
    pub reserve: f64,
    /// Work goes on when so much more than the reserve is left, so that it does not pause at every
    /// call. Defaults to 0.01.
    pub margin: f64,
    /// So long after a pause began Salesforce is asked whether it can end. Defaults to 60 s.
    pub probe_first: Duration,
    /// The time doubles with every answer of no, up to this. Defaults to 15 min.
    pub probe_longest: Duration,
}

impl Default for ResilienceOptions {
    fn default() -> Self {
        Self {
            org: LevelOptions::org(),
            object: LevelOptions::object(),
            objects: BTreeMap::new(),
            quota: QuotaOptions::default(),
            restart_after: None,
        }
    }
}

impl LevelOptions {
    /// The defaults of an org.
    #[must_use]
    pub const fn org() -> Self {
        Self {
            rate: RateOptions {
                calls: 50,
                period: Duration::from_secs(1),
                max_wait: Duration::from_secs(2),
            },
            bulkhead: BulkheadOptions {
                calls: 10,
                max_wait: Duration::from_secs(10),
                recover_every: Duration::from_secs(10),
            },
            breaker: BreakerOptions {
                window: 50,
                failure_rate: 0.5,
                minimum_calls: 50,
                minimum_objects: 2,
                open: Duration::from_secs(30),
                probes: 3,
            },
            time_limit: Duration::from_secs(30),
        }
    }

    /// The defaults of an object.
    #[must_use]
    pub const fn object() -> Self {
        let mut options = Self::org();
        options.bulkhead.calls = 8;
        options.breaker.minimum_calls = 10;
        options.breaker.minimum_objects = 1;
        options
    }
}

impl Default for QuotaOptions {
    fn default() -> Self {
        Self {
            reserve: 0.2,
            margin: 0.01,
            probe_first: Duration::from_secs(60),
            probe_longest: Duration::from_secs(900),
        }
    }
}

impl ResilienceOptions {
    /// The options of an object.
    pub(crate) fn of_object(&self, object: &str) -> LevelOptions {
        self.objects.get(object).copied().unwrap_or(self.object)
    }

    /// Checks every number.
    ///
    /// # Errors
    /// Names the first option that nothing could ever pass under.
    pub fn check(&self) -> Result<(), ResilienceError> {
        let named = self.objects.iter().map(|(name, level)| (name.as_str(), level));
        for (name, level) in [("org", &self.org), ("object", &self.object)].into_iter().chain(named)
        {
            level.check().map_err(|complaint| ResilienceError::invalid(name, complaint))?;
        }
        self.quota.check().map_err(|complaint| ResilienceError::invalid("quota", complaint))
    }
}

const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);

/// The option that is wrong, and why.
pub(super) type Complaint = (&'static str, &'static str);

impl LevelOptions {
    pub(crate) fn check(&self) -> Result<(), Complaint> {
        self.rate.check()?;
        self.bulkhead.check()?;
        self.breaker.check()?;
        a_time("time_limit", self.time_limit)
    }
}

impl RateOptions {
    pub(crate) fn check(self) -> Result<(), Complaint> {
        at_least_one("rate.calls", self.calls)?;
        a_time("rate.period", self.period)?;
        at_most_a_year("rate.max_wait", self.max_wait)
    }
}

impl BulkheadOptions {
    pub(crate) fn check(self) -> Result<(), Complaint> {
        at_least_one("bulkhead.calls", self.calls)?;
        at_most_a_year("bulkhead.max_wait", self.max_wait)?;
        at_most_a_year("bulkhead.recover_every", self.recover_every)
    }
}

impl BreakerOptions {
    pub(crate) fn check(&self) -> Result<(), Complaint> {
        at_least_one("breaker.window", self.window)?;
        at_least_one("breaker.minimum_calls", self.minimum_calls)?;
        at_least_one("breaker.probes", self.probes)?;
        at_most_a_year("breaker.open", self.open)?;
        if self.failure_rate > 0.0 && self.failure_rate <= 1.0 {
            Ok(())
        } else {
            Err(("breaker.failure_rate", "must be above 0 and at most 1"))
        }
    }
}

impl QuotaOptions {
    pub(crate) fn check(&self) -> Result<(), Complaint> {
        if !(0.0..1.0).contains(&self.reserve) {
            return Err(("reserve", "must be at least 0 and below 1"));
        }
        if !(0.0..1.0).contains(&(self.reserve + self.margin)) {
            return Err(("margin", "must be at least 0, and below 1 together with the reserve"));
        }
        a_time("probe_first", self.probe_first)?;
        at_most_a_year("probe_longest", self.probe_longest)
    }
}

fn at_least_one(field: &'static str, number: u32) -> Result<(), Complaint> {
    if number == 0 { Err((field, "must be at least 1")) } else { Ok(()) }
}

/// A time that something has to fit into.
pub(super) fn a_time(field: &'static str, time: Duration) -> Result<(), Complaint> {
    if time < Duration::from_millis(1) {
        return Err((field, "must be at least 1 ms"));
    }
    at_most_a_year(field, time)
}

/// Longer times do not fit into a clock.
fn at_most_a_year(field: &'static str, time: Duration) -> Result<(), Complaint> {
    if time > YEAR { Err((field, "must be at most a year")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_seeds() {
        let options = ResilienceOptions::default();
        options.check().unwrap();
        for level in [options.org, options.object] {
            let RateOptions { calls, period, max_wait } = level.rate;
            assert_eq!((calls, period.as_secs(), max_wait.as_secs()), (50, 1, 2));
            let BreakerOptions { window, open, .. } = level.breaker;
            assert_eq!((window, open.as_secs()), (50, 30));
            assert!((level.breaker.failure_rate - 0.5).abs() < f64::EPSILON);
            assert_eq!(level.time_limit.as_secs(), 30);
        }
        assert_eq!(options.org.bulkhead.calls, 10);
        assert!(options.object.bulkhead.calls < 10, "one object alone must not fill its org");
    }

    #[test]
    fn every_number_that_lets_nothing_pass_is_named() {
        let named = |option: &str, change: fn(&mut ResilienceOptions)| {
            let mut options = ResilienceOptions::default();
            change(&mut options);
            let error = options.check().unwrap_err().to_string();
            assert!(error.contains(&format!(": {option} must be ")), "{error}");
        };
        named("rate.calls", |options| options.org.rate.calls = 0);
        named("rate.period", |options| options.object.rate.period = Duration::ZERO);
        named("rate.max_wait", |options| options.object.rate.max_wait = Duration::MAX);
        named("bulkhead.calls", |options| options.object.bulkhead.calls = 0);
        named("breaker.window", |options| options.org.breaker.window = 0);
        named("breaker.probes", |options| options.org.breaker.probes = 0);
        named("breaker.failure_rate", |options| options.org.breaker.failure_rate = 1.5);
        named("time_limit", |options| options.org.time_limit = Duration::ZERO);
        named("reserve", |options| options.quota.reserve = 1.0);
        named("margin", |options| options.quota.margin = 0.9);
        named("rate.calls", |options| {
            let mut level = LevelOptions::object();
            level.rate.calls = 0;
            options.objects.insert("Contact".to_owned(), level);
        });
    }
}
