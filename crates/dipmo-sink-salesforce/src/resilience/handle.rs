//! To look at gates and change them while they are in use.

use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::Failure;
use tokio::time::Instant;

use super::gates::Orgs;
use super::held::{PAUSED, STOPPED};
use super::level::Level;
use super::options::{Complaint, a_time};
use super::org::Org;
use super::view::{OrgView, ResilienceView};
use super::{BreakerOptions, BulkheadOptions, QuotaOptions, RateOptions, ResilienceError, Target};

/// Sees and changes what protects the orgs of a publisher, while it runs.
///
/// What is changed here holds until it is changed again or the publisher is made anew; it is of
/// this instance only.
#[derive(Clone, Debug)]
pub struct ResilienceHandle(Arc<Orgs>);

impl ResilienceHandle {
    pub(super) fn new(orgs: Arc<Orgs>) -> Self {
        Self(orgs)
    }

    /// Everything as it stands now.
    #[must_use]
    pub fn view(&self) -> ResilienceView {
        let orgs: Vec<Arc<Org>> = self.0.lock().values().map(Arc::clone).collect();
        let now = Instant::now();
        ResilienceView { orgs: orgs.iter().map(|org| OrgView::of(org, now)).collect() }
    }

    /// Changes how many calls may begin; who waits already is served by it.
    ///
    /// # Errors
    /// When there is no such target, or nothing could ever pass.
    pub fn set_rate(&self, target: &Target, rate: RateOptions) -> Result<(), ResilienceError> {
        let level = self.level(target)?;
        rate.check().map_err(|complaint| invalid(target, complaint))?;
        level.lock().limiter.set(rate);
        level.ring();
        Ok(())
    }

    /// Changes how many calls may be under way. Those that are go on when there is less room.
    ///
    /// # Errors
    /// When there is no such target, or nothing could ever pass.
    pub fn set_bulkhead(
        &self,
        target: &Target,
        bulkhead: BulkheadOptions,
    ) -> Result<(), ResilienceError> {
        let level = self.level(target)?;
        bulkhead.check().map_err(|complaint| invalid(target, complaint))?;
        level.bulkhead.set(bulkhead);
        Ok(())
    }

    /// Changes when the breaker opens and for how long; the state that it is in stays.
    ///
    /// # Errors
    /// When there is no such target, or nothing could ever pass.
    pub fn set_breaker(
        &self,
        target: &Target,
        breaker: BreakerOptions,
    ) -> Result<(), ResilienceError> {
        let level = self.level(target)?;
        breaker.check().map_err(|complaint| invalid(target, complaint))?;
        level.lock().breaker.set(breaker);
        Ok(())
    }

    /// Changes how long a call may take, from the next one on.
    ///
    /// # Errors
    /// When there is no such target, or nothing could ever pass.
    pub fn set_time_limit(&self, target: &Target, limit: Duration) -> Result<(), ResilienceError> {
        let level = self.level(target)?;
        a_time("time_limit", limit).map_err(|complaint| invalid(target, complaint))?;
        level.lock().time_limit = limit;
        Ok(())
    }

    /// Changes what of the allowance is left to others.
    ///
    /// # Errors
    /// When there is no such org, or nothing could ever pass.
    pub fn set_quota(&self, org: &str, quota: QuotaOptions) -> Result<(), ResilienceError> {
        let target = Target::org(org);
        let org = self.org(&target)?;
        quota.check().map_err(|complaint| invalid(&target, complaint))?;
        org.set_quota_options(quota);
        Ok(())
    }

    /// Opens a breaker until it is closed: nothing passes.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn open_breaker(&self, target: &Target) -> Result<(), ResilienceError> {
        self.level(target)?.change(|state| state.breaker.open());
        Ok(())
    }

    /// Closes a breaker, whoever opened it; it counts from nothing.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn close_breaker(&self, target: &Target) -> Result<(), ResilienceError> {
        self.level(target)?.change(|state| state.breaker.close());
        Ok(())
    }

    /// Lets nothing pass, for a time or until it is resumed.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn pause(
        &self,
        target: &Target,
        why: &str,
        time: Option<Duration>,
    ) -> Result<(), ResilienceError> {
        let level = self.level(target)?;
        let why = Failure::coded(PAUSED, &format!("{target}: paused by hand: {why}"));
        let until = time.and_then(|time| Instant::now().checked_add(time));
        level.lock().standing.pause(why, until);
        level.meter.paused();
        Ok(())
    }

    /// Ends every pause, also those that would end by themselves. A stop stays. Where the
    /// allowance is the reason the next answer brings the pause back: change the reserve first.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn resume(&self, target: &Target) -> Result<(), ResilienceError> {
        match &target.object {
            None => self.org(target)?.resume(),
            Some(_) => self.level(target)?.lock().standing.resume(),
        }
        Ok(())
    }

    /// Stops it until it is started.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn stop(&self, target: &Target, why: &str) -> Result<(), ResilienceError> {
        let why = Failure::coded(STOPPED, &format!("{target}: stopped by hand: {why}"));
        self.level(target)?.stop(why, None);
        Ok(())
    }

    /// Starts what was stopped, by a person or by a broken configuration; says whether it was. An
    /// object and its org are started on their own.
    ///
    /// # Errors
    /// When there is no such target.
    pub fn start(&self, target: &Target) -> Result<bool, ResilienceError> {
        let was_stopped = self.level(target)?.lock().standing.start();
        tracing::info!(%target, was_stopped, "started by hand");
        Ok(was_stopped)
    }

    fn org(&self, target: &Target) -> Result<Arc<Org>, ResilienceError> {
        let known = self.0.lock().get(&target.org).map(Arc::clone);
        known.ok_or_else(|| ResilienceError::Unknown { target: target.clone() })
    }

    fn level(&self, target: &Target) -> Result<Arc<Level>, ResilienceError> {
        let org = self.org(target)?;
        let level = match &target.object {
            None => Some(Arc::clone(&org.level)),
            Some(object) => org.known_object(object),
        };
        level.ok_or_else(|| ResilienceError::Unknown { target: target.clone() })
    }
}

fn invalid(target: &Target, complaint: Complaint) -> ResilienceError {
    ResilienceError::invalid(&target.to_string(), complaint)
}
