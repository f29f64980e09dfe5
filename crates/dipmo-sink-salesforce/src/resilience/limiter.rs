//! A rate limiter as a value: it decides, somebody else waits.
//!
//! **Invariant:** in no period, wherever it begins, do more calls begin than allowed. A turn that is
//! kept for a call that still waits for something else counts until the call begins, and is
//! nobody's loss if it never does.

use std::collections::VecDeque;

use tokio::time::Instant;

use super::RateOptions;

/// Knows which calls began within the last period.
#[derive(Debug)]
pub(super) struct Limiter {
    options: RateOptions,
    /// Oldest first, none older than a period.
    begun: VecDeque<Instant>,
    /// Turns of calls that have not begun yet.
    kept: usize,
}

/// There is no turn now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoTurn {
    /// There is one then, if nobody else takes it.
    Until(Instant),
    /// All are kept for calls that have not begun: there is one when such a call begins or gives up.
    AllKept,
}

impl Limiter {
    pub(super) fn new(options: RateOptions) -> Self {
        Self { options, begun: VecDeque::new(), kept: 0 }
    }

    pub(super) fn options(&self) -> RateOptions {
        self.options
    }

    /// Takes effect for whoever waits already, when it asks again.
    pub(super) fn set(&mut self, options: RateOptions) {
        self.options = options;
    }

    /// Keeps a turn for a call. It begins, or gives the turn back.
    pub(super) fn keep(&mut self, now: Instant) -> Result<(), NoTurn> {
        self.forget_old(now);
        self.free(now)?;
        self.kept += 1;
        Ok(())
    }

    /// A call that a turn is kept for begins.
    pub(super) fn begin(&mut self, now: Instant) {
        self.forget_old(now);
        self.kept = self.kept.saturating_sub(1);
        self.begun.push_back(now);
    }

    /// A call that a turn is kept for is not made.
    pub(super) fn give_back(&mut self) {
        self.kept = self.kept.saturating_sub(1);
    }

    /// Whether a turn could be kept now.
    pub(super) fn free(&self, now: Instant) -> Result<(), NoTurn> {
        let allowed = usize::try_from(self.options.calls).unwrap_or(usize::MAX);
        let old = self.begun.partition_point(|begun| *begun + self.options.period <= now);
        let recent = self.begun.len() - old;
        if recent + self.kept < allowed {
            return Ok(());
        }
        if self.kept >= allowed {
            return Err(NoTurn::AllKept);
        }
        // So many may be within the period for one more to have room; the one before them leaves.
        let may_stay = allowed - self.kept - 1;
        let leaves = self.begun[self.begun.len() - may_stay - 1];
        Err(NoTurn::Until(leaves + self.options.period))
    }

    fn forget_old(&mut self, now: Instant) {
        while self.begun.front().is_some_and(|begun| *begun + self.options.period <= now) {
            self.begun.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    const PERIOD: Duration = Duration::from_millis(100);

    fn limiter(calls: u32) -> Limiter {
        Limiter::new(RateOptions { calls, period: PERIOD, max_wait: Duration::ZERO })
    }

    #[test]
    fn a_turn_comes_back_a_period_after_the_call_that_had_it() {
        let mut limiter = limiter(2);
        let start = Instant::now();
        let later = start + Duration::from_millis(30);
        for at in [start, later] {
            limiter.keep(at).unwrap();
            limiter.begin(at);
        }
        assert_eq!(limiter.keep(later), Err(NoTurn::Until(start + PERIOD)));
        assert_eq!(limiter.keep(start + PERIOD), Ok(()));
        assert_eq!(limiter.keep(start + PERIOD), Err(NoTurn::Until(later + PERIOD)));
    }

    #[test]
    fn a_turn_that_is_kept_is_used_up_when_the_call_begins_not_before() {
        let mut limiter = limiter(1);
        let start = Instant::now();
        limiter.keep(start).unwrap();
        let late = start + 10 * PERIOD;
        assert_eq!(limiter.keep(late), Err(NoTurn::AllKept));
        limiter.begin(late);
        assert_eq!(limiter.keep(late), Err(NoTurn::Until(late + PERIOD)));
    }

    #[test]
    fn a_new_rate_counts_what_began_under_the_old_one() {
        let mut limiter = limiter(3);
        let now = Instant::now();
        for _ in 0..3 {
            limiter.keep(now).unwrap();
            limiter.begin(now);
        }
        limiter.set(RateOptions { calls: 1, ..limiter.options() });
        assert_eq!(limiter.free(now), Err(NoTurn::Until(now + PERIOD)));
        limiter.set(RateOptions { calls: 4, ..limiter.options() });
        assert_eq!(limiter.free(now), Ok(()));
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Keep,
        Begin,
        GiveBack,
        Pass(u8),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => Just(Step::Keep),
            3 => Just(Step::Begin),
            1 => Just(Step::GiveBack),
            3 => (0_u8..120).prop_map(Step::Pass),
        ]
    }

    proptest! {
        /// Whatever happens in between, no stretch of a period has more calls than allowed, and
        /// after it all the full number is there again: no turn was lost.
        #[test]
        fn never_more_than_allowed_and_no_turn_is_lost(
            calls in 1_u32..6,
            steps in prop::collection::vec(step(), 0..200),
        ) {
            let mut limiter = limiter(calls);
            let mut now = Instant::now();
            let mut kept = 0_usize;
            let mut begun = Vec::new();
            for step in steps {
                match step {
                    Step::Keep => match limiter.keep(now) {
                        Ok(()) => kept += 1,
                        Err(NoTurn::AllKept) => prop_assert_eq!(kept, calls as usize),
                        Err(NoTurn::Until(at)) => {
                            prop_assert!(at > now);
                            prop_assert_eq!(limiter.free(at), Ok(()));
                            let just_before = at - Duration::from_nanos(1);
                            prop_assert!(limiter.free(just_before).is_err());
                        }
                    },
                    Step::Begin if kept > 0 => {
                        limiter.begin(now);
                        begun.push(now);
                        kept -= 1;
                    }
                    Step::GiveBack if kept > 0 => {
                        limiter.give_back();
                        kept -= 1;
                    }
                    Step::Begin | Step::GiveBack => {}
                    Step::Pass(millis) => now += Duration::from_millis(millis.into()),
                }
            }
            for first in &begun {
                let within = begun.iter().filter(|at| *at >= first && **at < *first + PERIOD);
                prop_assert!(within.count() <= calls as usize);
            }
            for _ in 0..kept {
                limiter.give_back();
            }
            now += PERIOD;
            for _ in 0..calls {
                prop_assert_eq!(limiter.keep(now), Ok(()));
            }
            prop_assert!(limiter.keep(now).is_err());
        }
    }
}
