//! How an expectation fails: with the message, what was expected and what came.

use std::fmt::Debug;

use super::scenario::{Last, Scenario};
use super::show;
use super::world::Met;
use crate::{Advanced, ErasedOutcome, Process};

impl<P: Process> Scenario<P> {
    #[track_caller]
    fn last(&self) -> &Last {
        self.last.as_ref().expect("a then_… method comes after a when_… method")
    }

    /// What became of the last message.
    #[track_caller]
    pub(super) fn met(&self) -> &Met {
        &self.last().met
    }

    /// The step that the last message brought.
    #[track_caller]
    pub(super) fn advanced(&self) -> &Advanced {
        match self.met() {
            Met::Decided(ErasedOutcome::Advance(advanced)) => advanced,
            Met::Decided(_) | Met::Ignored | Met::Refused(_) => self.fail("it to advance"),
        }
    }

    #[track_caller]
    pub(super) fn expect(self, as_expected: bool, expected: &str) -> Self {
        if !as_expected {
            self.fail(expected);
        }
        self
    }

    #[track_caller]
    pub(super) fn same<E, F>(self, what: &str, expected: &E, found: &F) -> Self
    where
        E: Debug + ?Sized,
        F: Debug + PartialEq<E>,
    {
        let event = &self.last().event_type;
        assert!(
            found == expected,
            "after {event}, {what}:\n  expected: {expected:?}\n      came: {found:?}"
        );
        self
    }

    #[track_caller]
    fn fail(&self, expected: &str) -> ! {
        let Last { event_type, met } = self.last();
        panic!("after {event_type}:\n  expected: {expected}\n      came: {}", show::met(met));
    }
}
