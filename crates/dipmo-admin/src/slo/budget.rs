//! How much may go wrong, and how much of that went wrong.

use super::promise::Target;

/// How often a promise was kept, and of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) good: u64,
    pub(crate) total: u64,
}

#[expect(clippy::cast_precision_loss, reason = "nobody counts to 2^53, and a share is not exact")]
const fn number(count: u64) -> f64 {
    count as f64
}

impl Kept {
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { good: self.good + other.good, total: self.total + other.total }
    }

    pub(crate) const fn bad(self) -> u64 {
        self.total.saturating_sub(self.good)
    }

    /// The share that went well; `None` of nothing.
    pub(crate) fn share(self) -> Option<f64> {
        (self.total > 0).then(|| number(self.good) / number(self.total))
    }

    /// How many may go wrong, of as many as there were.
    pub(crate) fn allowed(self, target: Target) -> f64 {
        number(self.total) * target.spare()
    }

    /// The share of the budget that is left: 1 is all of it, below 0 more went wrong than may. Where nothing may go
    /// wrong, all of it is left or none. `None` of nothing.
    pub(crate) fn left(self, target: Target) -> Option<f64> {
        self.burn(target).map(|used| 1.0 - used)
    }

    /// How fast the budget is used up: at 1 it lasts exactly as long as the window. `None` of nothing.
    ///
    /// Where nothing may go wrong it is 0 or 1: no number tells how many times too much it is.
    pub(crate) fn burn(self, target: Target) -> Option<f64> {
        if self.total == 0 {
            return None;
        }
        let (bad, allowed) = (number(self.bad()), self.allowed(target));
        Some(match allowed {
            allowed if allowed > 0.0 => bad / allowed,
            _ if bad > 0.0 => 1.0,
            _ => 0.0,
        })
    }

    /// True when more went wrong than may. Where nothing may, one is too much.
    pub(crate) fn is_overspent(self, target: Target) -> bool {
        number(self.bad()) > self.allowed(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(share: f64) -> Target {
        Target::of(share).unwrap()
    }

    fn close(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|it| (it - expected).abs() < 1e-9), "{found:?} {expected}");
    }

    #[test]
    fn of_a_thousand_one_may_go_wrong_at_three_nines() {
        let kept = Kept { good: 9_995, total: 10_000 };
        close(kept.share(), 0.9995);
        close(Some(kept.allowed(target(0.999))), 10.0);
        close(kept.left(target(0.999)), 0.5);
        close(kept.burn(target(0.999)), 0.5);
        assert!(!kept.is_overspent(target(0.999)));
    }

    #[test]
    fn what_is_overspent_is_less_than_nothing() {
        let kept = Kept { good: 70, total: 100 };
        close(kept.left(target(0.9)), -2.0);
        close(kept.burn(target(0.9)), 3.0);
        assert!(kept.is_overspent(target(0.9)));
        let just = Kept { good: 90, total: 100 };
        close(just.left(target(0.9)), 0.0);
        assert!(!just.is_overspent(target(0.9)), "as many as may");
    }

    #[test]
    fn nothing_says_nothing() {
        let kept = Kept::default();
        assert_eq!(
            (kept.share(), kept.left(target(0.9)), kept.burn(target(0.9))),
            (None, None, None)
        );
        assert!(!kept.is_overspent(target(1.0)));
    }

    #[test]
    fn where_nothing_may_go_wrong_one_is_too_much() {
        let all = target(1.0);
        let (well, one) = (Kept { good: 9, total: 9 }, Kept { good: 8, total: 9 });
        assert_eq!(
            (well.left(all), well.burn(all), well.is_overspent(all)),
            (Some(1.0), Some(0.0), false)
        );
        assert_eq!(
            (one.left(all), one.burn(all), one.is_overspent(all)),
            (Some(0.0), Some(1.0), true)
        );
    }

    #[test]
    fn more_good_than_all_is_nothing_bad() {
        assert_eq!(Kept { good: 3, total: 2 }.bad(), 0);
    }
}
