//! What is promised.

use std::time::Duration;

use dipmo_store::admin::Objective;

/// All that is promised, over one window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promises {
    /// Over how long, back from now.
    pub window: Duration,
    /// What.
    pub all: Vec<Promise>,
}

/// That something goes well so often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// What.
    pub objective: Objective,
    /// How often.
    pub target: Target,
}

/// The share that is to go well, in millionths: 999,000 is 99.9 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target(u32);

impl Target {
    const ALL: f64 = 1_000_000.0;

    /// A share above 0 and up to 1; `None` for any other, and for one that is nothing in millionths.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is not from 1 to a million is not cast"
    )]
    pub fn of(share: f64) -> Option<Self> {
        let millionths = (share * Self::ALL).round();
        (1.0..=Self::ALL).contains(&millionths).then_some(Self(millionths as u32))
    }

    /// The share that is to go well.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.0) / Self::ALL
    }

    /// The share that may go wrong; exactly 0 where nothing may.
    #[must_use]
    pub fn spare(self) -> f64 {
        (Self::ALL - f64::from(self.0)) / Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_share_and_leaves_the_rest() {
        let target = |share| Target::of(share).map(|it| (it.share(), it.spare()));
        assert_eq!(target(0.999), Some((0.999, 0.001)));
        assert_eq!(target(1.0), Some((1.0, 0.0)));
        for share in [0.0, -0.5, 1.1, 0.000_000_1, f64::NAN] {
            assert_eq!(target(share), None, "{share}");
        }
    }
}
