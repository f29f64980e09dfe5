//! The engine: workers, dispatchers, upkeep, retries.

use dipmo_config::model::engine as model;
use dipmo_config::{Problems, Spanned};
use dipmo_domain::Backoff;
use dipmo_processing::{
    DeadLetters, EngineOptions, OnFailure, RetryPolicy, Unrouted, UpkeepOptions,
};

use super::asked::{set, size};
use super::problem::invalid;

/// The options of the engine.
pub(super) fn options(engine: Option<&model::Engine>, problems: &mut Problems) -> EngineOptions {
    let mut options = EngineOptions::default();
    let Some(engine) = engine else { return options };
    let model::Engine { place: _, workers, dispatch, upkeep, retries, unrouted, dead_letters } =
        engine;
    if let Some(workers) = workers {
        set_workers(&mut options, workers, problems);
    }
    if let Some(dispatch) = dispatch {
        set_dispatch(&mut options, dispatch, problems);
    }
    if let Some(upkeep) = upkeep {
        set_upkeep(&mut options.upkeep, upkeep);
    }
    if let Some(model::Retries { place: _, inbox, outbox }) = retries {
        set_retry(&mut options.worker.retry, inbox.as_ref());
        set_retry(&mut options.dispatch.retry, outbox.as_ref());
    }
    if let Some(unrouted) = unrouted {
        options.worker.unrouted = match unrouted.value {
            model::Unrouted::Ignore => Unrouted::Ignore,
            model::Unrouted::Fail => Unrouted::Fail,
        };
    }
    if let Some(model::DeadLetters { place: _, suffix }) = dead_letters {
        let mut letters = DeadLetters::default();
        if let Some(suffix) = suffix {
            if suffix.expose().is_empty() {
                let message = "it is empty: letters would go to the topic that they come from";
                problems.push(invalid(suffix.place, message));
            }
            suffix.expose().clone_into(&mut letters.suffix);
        }
        options.worker.dead_letters = Some(letters);
    }
    options
}

fn set_workers(options: &mut EngineOptions, workers: &model::Workers, problems: &mut Problems) {
    let model::Workers { place: _, min, max, idle, batch, poll } = workers;
    let worker = &mut options.worker;
    if let Some(min) = min {
        worker.min = size(min.value);
    }
    if let Some(max) = max {
        worker.max = size(max.get());
    }
    set(&mut worker.idle, idle.as_ref());
    set(&mut worker.batch, batch.as_ref());
    set(&mut worker.poll, poll.as_ref());
    if worker.min > worker.max {
        let place = min.map(|it| it.place).or_else(|| max.map(|it| it.place));
        let message = format!("at least {} workers cannot be at most {}", worker.min, worker.max);
        problems.extend(place.map(|place| invalid(place, message)));
    }
}

fn set_dispatch(options: &mut EngineOptions, dispatch: &model::Dispatch, problems: &mut Problems) {
    let model::Dispatch { place: _, couriers, lanes, units, deadline, lease, turn, poll } =
        dispatch;
    let options = &mut options.dispatch;
    if let Some(couriers) = couriers {
        options.couriers = size(couriers.get());
    }
    set(&mut options.lanes, lanes.as_ref());
    options.units = units.map(|units| units.get());
    set(&mut options.deadline, deadline.as_ref());
    set(&mut options.lease, lease.as_ref());
    set(&mut options.turn, turn.as_ref());
    set(&mut options.poll, poll.as_ref());
    if options.deadline * 3 > options.lease {
        let place = deadline.map(|it| it.place).or_else(|| lease.map(|it| it.place));
        let message = format!(
            "a lease of {:?} is shorter than three deadlines of {:?}",
            options.lease, options.deadline
        );
        let hint = "what is on the wire must have ended when somebody else takes over";
        problems.extend(place.map(|place| invalid(place, message).hint(hint)));
    }
}

fn set_upkeep(options: &mut UpkeepOptions, upkeep: &model::Upkeep) {
    let model::Upkeep { place: _, poll, batch, months, figures } = upkeep;
    set(&mut options.poll, poll.as_ref());
    set(&mut options.batch, batch.as_ref());
    set(&mut options.months, months.as_ref());
    set(&mut options.figures, figures.as_ref());
}

fn set_retry(policy: &mut RetryPolicy, retry: Option<&model::Retry>) {
    let Some(model::Retry { place: _, backoff, on_failure }) = retry else { return };
    set(&mut policy.backoff, backoff.as_ref() as Option<&Spanned<Backoff>>);
    if let Some(on_failure) = on_failure {
        policy.on_failure = match on_failure.value {
            model::OnFailure::Block => OnFailure::Block,
            model::OnFailure::Skip => OnFailure::Skip,
        };
    }
}
