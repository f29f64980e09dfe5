//! A circuit breaker as a value.
//!
//! ```text
//!  Closed ── too many failed ──► Open ── time is over ──► HalfOpen ── enough went well ──► Closed
//!                                 ▲                          │
//!                                 └── too many probes failed ┘
//! ```
//!
//! **Invariant:** nothing passes while it is open, and when half open just the probes do. How a call
//! ends counts only while the breaker is in the state that let it pass.

use std::time::Duration;

use tokio::time::Instant;

use super::BreakerOptions;
use super::window::Window;

/// While all probes are under way, ask again after so long.
const PROBES_UNDER_WAY: Duration = Duration::from_secs(1);

/// Decides from how calls ended whether more may begin.
#[derive(Debug)]
pub(super) struct Breaker {
    options: BreakerOptions,
    state: State,
    /// How many states there were: who passed in an earlier one is not heard.
    epoch: u64,
}

#[derive(Debug)]
enum State {
    Closed(Window),
    /// Until then; `None` was opened by a person, who closes it.
    Open(Option<Instant>),
    HalfOpen {
        begun: u32,
        ended: u32,
        failed: u32,
    },
}

/// The state of a breaker, for people and figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BreakerState {
    /// Everything passes.
    Closed,
    /// Nothing passes.
    Open,
    /// A few calls pass, and decide.
    HalfOpen,
}

/// That a call passed, and in which state.
#[derive(Debug)]
#[must_use]
pub(super) struct Ticket(u64);

/// A call does not pass; ask again after so long, or when a person closed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoPassage(pub(super) Option<Duration>);

impl Breaker {
    pub(super) fn new(options: BreakerOptions) -> Self {
        Self { options, state: State::Closed(Window::default()), epoch: 0 }
    }

    pub(super) fn options(&self) -> BreakerOptions {
        self.options
    }

    /// Counts from the next call on; what is open stays so.
    pub(super) fn set(&mut self, options: BreakerOptions) {
        self.options = options;
    }

    pub(super) fn state(&self) -> BreakerState {
        match self.state {
            State::Closed(_) => BreakerState::Closed,
            State::Open(_) => BreakerState::Open,
            State::HalfOpen { .. } => BreakerState::HalfOpen,
        }
    }

    /// Calls and failures that it looks at now.
    pub(super) fn counted(&self) -> (u32, u32) {
        match &self.state {
            State::Closed(window) => window.counted(),
            State::Open(_) => (0, 0),
            State::HalfOpen { ended, failed, .. } => (*ended, *failed),
        }
    }

    /// Whether a call would pass now.
    pub(super) fn check(&self, now: Instant) -> Result<(), NoPassage> {
        match self.state {
            State::Closed(_) => Ok(()),
            State::Open(None) => Err(NoPassage(None)),
            State::Open(Some(until)) if until > now => Err(NoPassage(Some(until - now))),
            State::Open(Some(_)) => Ok(()),
            State::HalfOpen { begun, .. } if begun < self.options.probes => Ok(()),
            State::HalfOpen { .. } => Err(NoPassage(Some(PROBES_UNDER_WAY))),
        }
    }

    /// A call begins that was found to pass. The first after an opening makes it half open.
    pub(super) fn begin(&mut self) -> Ticket {
        if let State::Open(_) = self.state {
            self.go(State::HalfOpen { begun: 0, ended: 0, failed: 0 });
        }
        if let State::HalfOpen { begun, .. } = &mut self.state {
            *begun += 1;
        }
        Ticket(self.epoch)
    }

    /// A call that passed has ended. `object` tells the objects of an org apart.
    pub(super) fn ended(&mut self, ticket: &Ticket, object: u32, well: bool, now: Instant) {
        if ticket.0 != self.epoch {
            return;
        }
        match &mut self.state {
            State::Closed(window) => {
                window.add(object, well, self.options.window);
                if window.is_bad(&self.options) {
                    self.go(State::Open(Some(now + self.options.open)));
                }
            }
            State::HalfOpen { ended, failed, .. } => {
                *ended += 1;
                *failed += u32::from(!well);
                if f64::from(*failed) >= self.options.failure_rate * f64::from(self.options.probes)
                {
                    self.go(State::Open(Some(now + self.options.open)));
                } else if *ended >= self.options.probes {
                    self.go(State::Closed(Window::default()));
                }
            }
            State::Open(_) => {}
        }
    }

    /// Opens it until somebody closes it.
    pub(super) fn open(&mut self) {
        self.go(State::Open(None));
    }

    /// Closes it, with nothing counted.
    pub(super) fn close(&mut self) {
        self.go(State::Closed(Window::default()));
    }

    fn go(&mut self, state: State) {
        self.epoch += 1;
        self.state = state;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPEN: Duration = Duration::from_secs(30);

    fn options() -> BreakerOptions {
        BreakerOptions {
            window: 10,
            failure_rate: 0.5,
            minimum_calls: 4,
            minimum_objects: 1,
            open: OPEN,
            probes: 3,
        }
    }

    fn pass(breaker: &mut Breaker, now: Instant) -> Result<Ticket, NoPassage> {
        breaker.check(now)?;
        Ok(breaker.begin())
    }

    /// Makes calls of one object that end at once.
    fn calls(breaker: &mut Breaker, ends: &[bool], now: Instant) {
        for well in ends {
            let ticket = pass(breaker, now).unwrap();
            breaker.ended(&ticket, 0, *well, now);
        }
    }

    fn opened(now: Instant) -> Breaker {
        let mut breaker = Breaker::new(options());
        calls(&mut breaker, &[false; 4], now);
        assert_eq!(breaker.state(), BreakerState::Open);
        breaker
    }

    #[test]
    fn it_opens_at_the_share_and_not_below_the_minimum() {
        let now = Instant::now();
        let mut breaker = Breaker::new(options());
        calls(&mut breaker, &[false, false, false], now);
        assert_eq!(breaker.state(), BreakerState::Closed, "three calls are too few to judge");
        let mut breaker = Breaker::new(options());
        calls(&mut breaker, &[true, true, true, false, false], now);
        assert_eq!(breaker.state(), BreakerState::Closed, "two of five are less than half");
        calls(&mut breaker, &[false], now);
        assert_eq!(breaker.state(), BreakerState::Open);
    }

    #[test]
    fn calls_that_left_the_window_do_not_count() {
        let now = Instant::now();
        let mut breaker = Breaker::new(options());
        calls(&mut breaker, &[true, true, true, true, false, false, false], now);
        calls(&mut breaker, &[true; 10], now);
        assert_eq!(breaker.counted(), (10, 0));
    }

    #[test]
    fn the_probes_pass_after_the_time_and_no_other() {
        let now = Instant::now();
        let mut breaker = opened(now);
        let just_before = now + OPEN - Duration::from_millis(1);
        assert_eq!(
            pass(&mut breaker, just_before).unwrap_err(),
            NoPassage(Some(Duration::from_millis(1)))
        );
        let then = now + OPEN;
        let probes: Vec<Ticket> = (0..3).map(|_| pass(&mut breaker, then).unwrap()).collect();
        assert!(pass(&mut breaker, then).is_err());
        for probe in &probes {
            breaker.ended(probe, 0, true, then);
        }
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn probes_that_fail_open_it_again_for_the_whole_time() {
        let now = Instant::now();
        let mut breaker = opened(now);
        let then = now + OPEN;
        calls(&mut breaker, &[true, false, false], then);
        assert_eq!(pass(&mut breaker, then).unwrap_err(), NoPassage(Some(OPEN)));
    }

    #[test]
    fn a_call_of_before_the_opening_does_not_decide_after_it() {
        let now = Instant::now();
        let mut breaker = Breaker::new(options());
        let slow = [(); 2].map(|()| pass(&mut breaker, now).unwrap());
        calls(&mut breaker, &[false; 4], now);
        let then = now + OPEN;
        calls(&mut breaker, &[true], then);
        for ticket in &slow {
            breaker.ended(ticket, 0, false, then);
        }
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        assert_eq!(breaker.counted(), (1, 0));
    }

    #[test]
    fn what_one_object_fails_at_does_not_open_the_org() {
        let now = Instant::now();
        let mut org = Breaker::new(BreakerOptions { minimum_objects: 2, ..options() });
        calls(&mut org, &[false; 20], now);
        assert_eq!(org.state(), BreakerState::Closed);
        let ticket = pass(&mut org, now).unwrap();
        org.ended(&ticket, 1, false, now);
        assert_eq!(org.state(), BreakerState::Open);
    }

    #[test]
    fn what_a_person_opened_a_person_closes() {
        let now = Instant::now();
        let mut breaker = Breaker::new(options());
        breaker.open();
        assert_eq!(pass(&mut breaker, now + 100 * OPEN).unwrap_err(), NoPassage(None));
        breaker.close();
        assert!(pass(&mut breaker, now).is_ok());
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Pass,
        End { well: bool, which: usize },
        Wait(u8),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            5 => Just(Step::Pass),
            4 => (any::<bool>(), any::<usize>()).prop_map(|(well, which)| Step::End { well, which }),
            1 => (0_u8..60).prop_map(Step::Wait),
        ]
    }

    proptest! {
        /// Calls overlap and end in any order: none passes while it is open, and between an
        /// opening and the next change only the probes do.
        #[test]
        fn no_call_passes_while_it_is_open(steps in prop::collection::vec(step(), 0..300)) {
            let mut breaker = Breaker::new(options());
            let mut now = Instant::now();
            let mut under_way = Vec::new();
            let mut opened_at = None;
            let mut probes = 0;
            for step in steps {
                let before = breaker.state();
                match step {
                    Step::Wait(seconds) => now += Duration::from_secs(seconds.into()),
                    Step::Pass => {
                        if let Ok(ticket) = pass(&mut breaker, now) {
                            under_way.push(ticket);
                            if let Some(opened_at) = opened_at {
                                prop_assert!(now >= opened_at + OPEN, "passed while open");
                                probes += 1;
                                prop_assert!(probes <= options().probes, "more than the probes");
                            }
                        }
                    }
                    Step::End { well, which } if !under_way.is_empty() => {
                        let ticket = under_way.swap_remove(which % under_way.len());
                        breaker.ended(&ticket, 0, well, now);
                    }
                    Step::End { .. } => {}
                }
                match (before, breaker.state()) {
                    (BreakerState::Closed | BreakerState::HalfOpen, BreakerState::Open) => {
                        (opened_at, probes) = (Some(now), 0);
                    }
                    (BreakerState::HalfOpen, BreakerState::Closed) => opened_at = None,
                    _ => {}
                }
            }
        }
    }
}
