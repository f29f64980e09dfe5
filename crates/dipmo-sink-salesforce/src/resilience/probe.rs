//! Who ends the pause of an allowance: asks the org now and then, and says when it may go on.

use std::sync::Weak;

use tokio::time::{Instant, sleep_until, timeout};

use super::How;
use super::org::Org;
use super::pass;
use super::quota::{Family, Quota, QuotaPause};

/// Runs until the pause has ended, by this or by a person, or nobody needs the org any more.
pub(super) async fn until_well(org: Weak<Org>, family: Family, serial: u64) {
    while let Some(at) = org.upgrade().and_then(|org| org.probe_at(family, serial)) {
        sleep_until(at).await;
        let Some(org) = org.upgrade() else { return };
        // Ended while it slept: nobody wants to know any more, and a call costs.
        if org.probe_at(family, serial).is_some() {
            org.probe(family, serial).await;
        }
    }
}

impl Org {
    /// When the org is asked next; `None` when that pause is over.
    fn probe_at(&self, family: Family, serial: u64) -> Option<Instant> {
        let mut state = self.level.lock();
        let pause = state.standing.quota(family).as_ref();
        pause.filter(|pause| pause.serial == serial).map(|pause| pause.probe_at)
    }

    /// A probe is a call: it needs room and a turn of the org, and its breaker must be closed. Only
    /// the pause that it is to end does not hold it.
    async fn probe(&self, family: Family, serial: u64) {
        let Some(source) = &self.source else { return };
        let pass = match pass::enter(&[&self.level], &[]).await {
            Ok(pass) => pass,
            Err(held) => {
                let now = Instant::now();
                return self.change_pause(family, serial, |pause| pause.put_off(held.after, now));
            }
        };
        let limit = self.level.lock().time_limit;
        let answer = timeout(limit, source.probe(family)).await;
        let (how, quota) = match answer {
            Ok(Ok(quota)) => (How::Ok, Some(quota)),
            Ok(Err(failed)) => {
                let (code, message) = (failed.why.code(), failed.why.message());
                tracing::debug!(target = %self.level.target, code, message, "stays paused");
                (failed.how, None)
            }
            Err(_) => (How::Failed, None),
        };
        pass.ended(how);
        self.judge(family, serial, quota);
    }

    fn judge(&self, family: Family, serial: u64, quota: Option<Quota>) {
        let options = self.quota_options();
        if let Some(quota) = quota {
            self.level.meter.quota(family.name(), quota);
        }
        if quota.is_some_and(|quota| quota.has_more_than(options.reserve + options.margin)) {
            self.forget_news();
            self.end_pause(family, serial);
        } else {
            let now = Instant::now();
            self.change_pause(family, serial, |pause| pause.again(&options, now));
        }
    }

    fn end_pause(&self, family: Family, serial: u64) {
        let mut state = self.level.lock();
        let pause = state.standing.quota(family);
        if pause.take_if(|pause| pause.serial == serial).is_some() {
            tracing::info!(target = %self.level.target, family = family.name(), "resumed");
        }
    }

    fn change_pause(&self, family: Family, serial: u64, change: impl FnOnce(&mut QuotaPause)) {
        let mut state = self.level.lock();
        let pause = state.standing.quota(family).as_mut();
        if let Some(pause) = pause.filter(|pause| pause.serial == serial) {
            change(pause);
        }
    }
}
