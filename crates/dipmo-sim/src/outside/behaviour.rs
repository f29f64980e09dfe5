//! How a destination takes a slice.

use dipmo_domain::Failure;
use dipmo_outbox::{Delivery, Published};

use crate::sim::Sim;

/// What a destination does with one delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Arrives, and says so.
    Arrives,
    /// Arrives, and says that it did not.
    ArrivesUnheard,
    /// Does not arrive.
    Lost,
    /// Is not tried.
    NotTried,
    /// Is refused for good.
    Refused,
}

/// What a destination does with a whole slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    Answers,
    /// Nothing arrives, and it panics.
    PanicsBefore,
    /// All arrives, and it panics.
    PanicsAfter,
    /// Answers for too few.
    Miscounts,
    /// Does not answer in time.
    Sleeps,
}

impl Manner {
    pub(super) fn of(sim: &Sim) -> Self {
        if !sim.fault(sim.options.faults.destination.saturating_mul(3)) {
            return Self::Answers;
        }
        sim.chance.pick(&[Self::PanicsBefore, Self::PanicsAfter, Self::Miscounts, Self::Sleeps])
    }
}

impl Fate {
    /// The fates of a slice. Of one key nothing arrives behind what did not, or was said not to.
    pub(super) fn of_slice(sim: &Sim, slice: &[Delivery]) -> Vec<Self> {
        let mut stopped = Vec::new();
        let mut fates = Vec::new();
        for delivery in slice {
            let fate = if stopped.contains(&&delivery.order_key) {
                Self::NotTried
            } else {
                Self::of_one(sim)
            };
            if fate != Self::Arrives {
                stopped.push(&delivery.order_key);
            }
            fates.push(fate);
        }
        fates
    }

    fn of_one(sim: &Sim) -> Self {
        // Some refuse for good even in the best of times.
        if sim.options.bad_messages > 0 && sim.chance.one_in(40) {
            return Self::Refused;
        }
        if !sim.fault(sim.options.faults.destination) {
            return Self::Arrives;
        }
        sim.chance.pick(&[Self::ArrivesUnheard, Self::Lost, Self::Lost, Self::NotTried])
    }

    pub(super) const fn arrives(self) -> bool {
        matches!(self, Self::Arrives | Self::ArrivesUnheard)
    }

    pub(super) fn answer(self) -> Published {
        let failure = |code| Failure::new(code, "the simulation wanted it");
        match self {
            Self::Arrives => Published::delivered(),
            Self::ArrivesUnheard | Self::Lost => {
                Published::Retry { failure: failure("sim-lost"), after: None }
            }
            Self::NotTried => Published::NotTried,
            Self::Refused => Published::Refused(failure("sim-refused")),
        }
    }
}
