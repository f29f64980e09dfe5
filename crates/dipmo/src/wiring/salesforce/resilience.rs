//! How orgs and objects are protected.

use dipmo_config::model::resilience as model;
use dipmo_sink_salesforce::{
    BreakerOptions, BulkheadOptions, LevelOptions, QuotaOptions, RateOptions, ResilienceOptions,
};

use crate::wiring::asked::set;

/// Puts what is said in the place of what was there.
pub(super) fn set_all(options: &mut ResilienceOptions, said: &model::Resilience) {
    let model::Resilience { place: _, org, object, objects, quota, restart_after } = said;
    if let Some(org) = org {
        set_level(&mut options.org, org);
    }
    if let Some(object) = object {
        set_level(&mut options.object, object);
    }
    // An object with options of its own has those of all objects where it says nothing.
    for (name, level) in objects.iter() {
        let of_all = options.object;
        set_level(options.objects.entry(name.to_string()).or_insert(of_all), level);
    }
    if let Some(quota) = quota {
        set_quota(&mut options.quota, quota);
    }
    if let Some(after) = restart_after {
        options.restart_after = Some(after.value);
    }
}

fn set_level(options: &mut LevelOptions, said: &model::Level) {
    let model::Level { place: _, rate, bulkhead, breaker, time_limit } = said;
    if let Some(rate) = rate {
        set_rate(&mut options.rate, rate);
    }
    if let Some(bulkhead) = bulkhead {
        set_bulkhead(&mut options.bulkhead, bulkhead);
    }
    if let Some(breaker) = breaker {
        set_breaker(&mut options.breaker, breaker);
    }
    set(&mut options.time_limit, time_limit.as_ref());
}

fn set_rate(options: &mut RateOptions, said: &model::Rate) {
    let model::Rate { place: _, calls, period, max_wait } = said;
    set(&mut options.calls, calls.as_ref());
    set(&mut options.period, period.as_ref());
    set(&mut options.max_wait, max_wait.as_ref());
}

fn set_bulkhead(options: &mut BulkheadOptions, said: &model::Bulkhead) {
    let model::Bulkhead { place: _, calls, max_wait, recover_every } = said;
    set(&mut options.calls, calls.as_ref());
    set(&mut options.max_wait, max_wait.as_ref());
    set(&mut options.recover_every, recover_every.as_ref());
}

fn set_breaker(options: &mut BreakerOptions, said: &model::Breaker) {
    let model::Breaker {
        place: _,
        window,
        failure_rate,
        minimum_calls,
        minimum_objects,
        open,
        probes,
    } = said;
    set(&mut options.window, window.as_ref());
    if let Some(rate) = failure_rate {
        options.failure_rate = rate.value.0;
    }
    set(&mut options.minimum_calls, minimum_calls.as_ref());
    set(&mut options.minimum_objects, minimum_objects.as_ref());
    set(&mut options.open, open.as_ref());
    set(&mut options.probes, probes.as_ref());
}

fn set_quota(options: &mut QuotaOptions, said: &model::Quota) {
    let model::Quota { place: _, reserve, margin, probe_first, probe_longest } = said;
    if let Some(reserve) = reserve {
        options.reserve = reserve.value.0;
    }
    if let Some(margin) = margin {
        options.margin = margin.value.0;
    }
    set(&mut options.probe_first, probe_first.as_ref());
    set(&mut options.probe_longest, probe_longest.as_ref());
}
