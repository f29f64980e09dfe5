//! Whether an org or an object is to be left alone, whoever wants it so.
//!
//! Each reason stands for itself: the end of one does not end another.

use std::time::Duration;

use dipmo_domain::Failure;
use tokio::time::Instant;

use super::Held;
use super::quota::{Family, QuotaPause};

/// The reasons that there are now.
#[derive(Debug, Default)]
pub(super) struct Standing {
    stopped: Option<Hold>,
    paused: Option<Hold>,
    backing_off: Option<Hold>,
    /// Of an org only.
    api: Option<QuotaPause>,
    /// Of an org only.
    bulk: Option<QuotaPause>,
}

#[derive(Debug)]
struct Hold {
    why: Failure,
    /// `None` until a person ends it.
    until: Option<Instant>,
}

impl Standing {
    /// A broken configuration: a person is needed, unless it may be tried again by then.
    pub(super) fn stop(&mut self, why: Failure, until: Option<Instant>) {
        self.stopped = Some(Hold { why, until });
    }

    /// True when it was stopped.
    pub(super) fn start(&mut self) -> bool {
        self.stopped.take().is_some()
    }

    /// A person's pause.
    pub(super) fn pause(&mut self, why: Failure, until: Option<Instant>) {
        self.paused = Some(Hold { why, until });
    }

    /// Ends every pause, also those that would end by themselves; a stop stays.
    pub(super) fn resume(&mut self) {
        (self.paused, self.backing_off, self.api, self.bulk) = (None, None, None, None);
    }

    /// The destination said when it will be back. Of two such times the later counts.
    pub(super) fn back_off(&mut self, why: Failure, until: Instant) {
        if self.backing_off.as_ref().is_none_or(|hold| hold.until < Some(until)) {
            self.backing_off = Some(Hold { why, until: Some(until) });
        }
    }

    /// The pause of an allowance.
    pub(super) fn quota(&mut self, family: Family) -> &mut Option<QuotaPause> {
        match family {
            Family::Api => &mut self.api,
            Family::Bulk => &mut self.bulk,
        }
    }

    /// What holds calls that use up these allowances; the gravest reason.
    pub(super) fn check(&self, families: &[Family], now: Instant) -> Result<(), Held> {
        let holds = [&self.stopped, &self.paused];
        holds.into_iter().try_for_each(|hold| check(hold.as_ref(), now))?;
        for family in families {
            let pause = match family {
                Family::Api => &self.api,
                Family::Bulk => &self.bulk,
            };
            if let Some(pause) = pause {
                return Err(pause.held(now));
            }
        }
        check(self.backing_off.as_ref(), now)
    }

    /// Whether a broken configuration holds it.
    pub(super) fn is_stopped(&self, now: Instant) -> bool {
        check(self.stopped.as_ref(), now).is_err()
    }
}

fn check(hold: Option<&Hold>, now: Instant) -> Result<(), Held> {
    match hold {
        None => Ok(()),
        Some(Hold { why, until: None }) => Err(Held::new(why.clone(), None)),
        Some(Hold { why, until: Some(until) }) => match until.saturating_duration_since(now) {
            Duration::ZERO => Ok(()),
            left => Err(Held::new(why.clone(), Some(left))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: &str) -> Failure {
        Failure::new(code, "because")
    }

    fn reason(standing: &Standing, now: Instant) -> Option<String> {
        standing.check(&[Family::Api], now).err().map(|held| held.why.code().to_owned())
    }

    #[test]
    fn a_stop_outlives_every_pause() {
        let now = Instant::now();
        let mut standing = Standing::default();
        standing.pause(failure("paused"), None);
        standing.stop(failure("stopped"), None);
        assert_eq!(reason(&standing, now), Some("stopped".to_owned()));
        standing.resume();
        assert_eq!(reason(&standing, now), Some("stopped".to_owned()));
        assert!(standing.start());
        assert_eq!(reason(&standing, now), None);
    }

    #[test]
    fn the_end_of_an_allowances_pause_does_not_end_a_persons() {
        let now = Instant::now();
        let mut standing = Standing::default();
        standing.pause(failure("paused"), None);
        *standing.quota(Family::Api) =
            Some(QuotaPause::new(1, failure("quota"), now, Duration::from_secs(60)));
        *standing.quota(Family::Api) = None;
        assert_eq!(reason(&standing, now), Some("paused".to_owned()));
    }

    #[test]
    fn a_time_ends_by_itself_and_the_later_of_two_counts() {
        let now = Instant::now();
        let mut standing = Standing::default();
        standing.back_off(failure("later"), now + Duration::from_secs(5));
        standing.back_off(failure("sooner"), now + Duration::from_secs(1));
        let held = standing.check(&[], now).unwrap_err();
        assert_eq!(held, Held::new(failure("later"), Some(Duration::from_secs(5))));
        assert_eq!(reason(&standing, now + Duration::from_secs(5)), None);
    }

    #[test]
    fn bulk_jobs_alone_wait_for_their_own_allowance() {
        let now = Instant::now();
        let mut standing = Standing::default();
        *standing.quota(Family::Bulk) =
            Some(QuotaPause::new(1, failure("bulk"), now, Duration::from_secs(60)));
        assert!(standing.check(&[Family::Api], now).is_ok());
        assert!(standing.check(&[Family::Api, Family::Bulk], now).is_err());
        assert!(standing.check(&[], now).is_ok(), "who asks about allowances is not held by them");
    }
}
