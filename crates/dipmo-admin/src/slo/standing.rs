//! Where each promise stands, of the hours that were counted.

use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_store::admin::SloHour;

use super::budget::Kept;
use super::promise::{Promise, Promises};

/// How far back the rates of burning go. Whole hours are counted, so that the first reaches back from one hour to two.
pub(crate) const BURNS: [Duration; 2] =
    [Duration::from_secs(3_600), Duration::from_secs(6 * 3_600)];
const HOUR: Duration = Duration::from_secs(3_600);

/// Where a promise stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) promise: Promise,
    /// Over the window.
    pub(crate) kept: Kept,
    /// The first hour of the window in which something was counted.
    pub(crate) since: Option<Timestamp>,
    /// How fast the budget was used up in the last hour, and in the last six; `None` where nothing came.
    pub(crate) burns: [Option<f64>; 2],
    /// After how long it is used up, if it goes on as in the last six hours; `None` when it lasts.
    pub(crate) lasts: Option<Duration>,
}

/// Where all promises stand now.
pub(crate) fn standings(promises: &Promises, now: Timestamp, hours: &[SloHour]) -> Vec<Standing> {
    promises.all.iter().map(|promise| standing(*promise, promises.window, now, hours)).collect()
}

fn standing(promise: Promise, window: Duration, now: Timestamp, hours: &[SloHour]) -> Standing {
    let name = promise.objective.name();
    let own: Vec<&SloHour> = hours.iter().filter(|it| it.count.name == name).collect();
    let over = |span: Duration| {
        // An hour counts as long as a part of it is within.
        let within = |it: &&&SloHour| now.since(it.hour) < span + HOUR;
        let counts = own.iter().filter(within).map(|it| &it.count);
        counts.fold(Kept::default(), |all, it| all.and(Kept { good: it.good, total: it.total }))
    };
    let kept = over(window);
    let since = own.iter().map(|it| it.hour).filter(|it| now.since(*it) < window + HOUR).min();
    let burns = BURNS.map(|span| over(span).burn(promise.target));
    let counted = since.map_or(Duration::ZERO, |since| now.since(since).min(window));
    let lasts = lasts(kept.left(promise.target), burns[1], counted);
    Standing { promise, kept, since, burns, lasts }
}

/// What is left is that share of what may go wrong in as long as was counted.
fn lasts(left: Option<f64>, burn: Option<f64>, counted: Duration) -> Option<Duration> {
    let (left, burn) = (left?.max(0.0), burn.filter(|burn| *burn > 1.0)?);
    Duration::try_from_secs_f64(counted.as_secs_f64() * left / burn).ok()
}

impl Standing {
    /// True when more went wrong than may.
    pub(crate) fn is_overspent(&self) -> bool {
        self.kept.is_overspent(self.promise.target)
    }
}

#[cfg(test)]
mod tests {
    use dipmo_store::admin::{Objective, SloCount};

    use super::*;
    use crate::slo::Target;

    const DAY: Duration = Duration::from_secs(24 * 3_600);
    const NAME: &str = "delivered";

    fn now() -> Timestamp {
        Timestamp::EPOCH.after(100 * DAY + Duration::from_secs(1_800))
    }

    /// So many hours before the one that runs.
    fn hour(back: u64, name: &str, good: u64, total: u64) -> SloHour {
        let micros =
            now().as_micros() - 1_800_000_000 - i64::try_from(back).unwrap() * 3_600_000_000;
        let count = SloCount { name: name.to_owned(), good, total };
        SloHour { hour: Timestamp::from_micros(micros).unwrap(), count }
    }

    fn stands(hours: &[SloHour]) -> Standing {
        let target = Target::of(0.9).unwrap();
        let all = vec![Promise { objective: Objective::Delivered, target }];
        standings(&Promises { window: 2 * DAY, all }, now(), hours).remove(0)
    }

    #[test]
    fn only_the_hours_of_its_window_and_its_name_count() {
        let found = stands(&[
            hour(49, NAME, 0, 1_000),
            hour(48, NAME, 90, 100),
            hour(3, "processed", 0, 1_000),
            hour(0, NAME, 100, 100),
        ]);
        assert_eq!(found.kept, Kept { good: 190, total: 200 });
        assert_eq!(found.since, Some(hour(48, NAME, 0, 0).hour));
        assert_eq!(found.burns, [Some(0.0), Some(0.0)]);
        assert_eq!((found.lasts, found.is_overspent()), (None, false));
    }

    #[test]
    fn a_rate_is_of_the_last_hour_and_of_the_last_six() {
        let found = stands(&[
            hour(9, NAME, 990, 1_000),
            hour(6, NAME, 70, 100),
            hour(2, NAME, 90, 100),
            hour(1, NAME, 80, 100),
        ]);
        let [hour, six] = found.burns.map(Option::unwrap);
        assert!((hour - 2.0).abs() < 1e-9 && (six - 2.0).abs() < 1e-9, "{hour} {six}");
        // 70 of 130 are used up in nine hours and a half: at twice the rate, the rest lasts half of its share.
        let lasts = found.lasts.unwrap().as_secs_f64();
        assert!((lasts - 9.5 * 3_600.0 * (60.0 / 130.0) / 2.0).abs() < 1.0, "{lasts}");
    }

    #[test]
    fn nothing_was_counted() {
        let found = stands(&[]);
        assert_eq!((found.kept, found.since), (Kept::default(), None));
        assert_eq!((found.burns, found.lasts, found.is_overspent()), ([None, None], None, false));
    }

    #[test]
    fn what_is_used_up_lasts_no_longer() {
        let found = stands(&[hour(1, NAME, 0, 100)]);
        assert_eq!((found.lasts, found.is_overspent()), (Some(Duration::ZERO), true));
    }
}
