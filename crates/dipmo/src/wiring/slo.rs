//! What is promised of all that goes through.

use std::sync::Arc;
use std::time::Duration;

use dipmo_admin::{Promise, Promises, Target};
use dipmo_config::model::slo as model;
use dipmo_config::{Problems, Share, Spanned};
use dipmo_processing::operations::Promised;
use dipmo_store::admin::{LONGEST_WINDOW, Objective, Operable};

use super::problem::{invalid, missing};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);
/// Where nothing is said.
const WINDOW: Duration = Duration::from_secs(30 * 24 * 3_600);

/// What the file says. `None` after a problem.
pub(super) fn plan(section: &model::Slo, problems: &mut Problems) -> Option<Promises> {
    let model::Slo { place, window, latency, delivered, processed } = section;
    let before = problems.len();
    if let Some(window) = window
        && !(HOUR..=LONGEST_WINDOW).contains(&window.value)
    {
        let message = "a window is from 1h to 90d long: it is counted by the hour";
        problems.push(invalid(window.place, message).hint("such as `window: 30d`"));
    }
    let mut all = Vec::new();
    if let Some(model::Latency { place: _, within, share }) = latency {
        if within.value.is_zero() || within.value > DAY {
            let message = "what is delivered in time is delivered within 1ms to 24h";
            problems.push(invalid(within.place, message).hint("such as `within: 60s`"));
        }
        all.extend(promise(Objective::Latency { within: within.value }, *share, problems));
    }
    for (objective, share) in [(Objective::Delivered, delivered), (Objective::Processed, processed)]
    {
        all.extend(share.and_then(|share| promise(objective, share, problems)));
    }
    if all.is_empty() && problems.len() == before {
        let hint = "add `latency: {within: 60s, share: 0.999}`, `delivered: 0.9995` or `processed: 0.9999`";
        problems.push(missing(*place, "nothing is promised here").hint(hint));
    }
    let window = window.map_or(WINDOW, |it| it.value);
    (problems.len() == before).then_some(Promises { window, all })
}

fn promise(
    objective: Objective,
    share: Spanned<Share>,
    problems: &mut Problems,
) -> Option<Promise> {
    let target = Target::of(share.value.0);
    if target.is_none() {
        let message = "a share that is promised is above 0, by a millionth at least";
        problems.push(invalid(share.place, message).hint("such as `0.999`, which is 99.9 %"));
    }
    target.map(|target| Promise { objective, target })
}

/// What is delivered so soon is delivered in time.
pub(super) fn in_time(promises: &Promises) -> Option<Duration> {
    promises.all.iter().find_map(|promise| match promise.objective {
        Objective::Latency { within } => Some(within),
        Objective::Delivered | Objective::Processed => None,
    })
}

/// Whoever adds up how often it is kept.
pub(super) fn promised(promises: &Promises, store: &Arc<dyn Operable>) -> Promised {
    let objectives = promises.all.iter().map(|promise| promise.objective).collect();
    Promised::new(Arc::clone(store) as _, objectives)
}
