//! What follows from what was seen.

use std::time::Duration;

use super::limits::Limits;
use super::seen::{Excuse, Progress, QueueSeen, Seen, StoreSeen};
use super::verdict::{Effect, Reason, Verdict};

/// Judges an instance.
///
/// Only what another process in its place would mend makes it dead. A database that is away, keys
/// that wait for a person and destinations that are closed would meet the next process as well.
#[must_use]
pub fn judge(seen: &Seen, limits: &Limits) -> Verdict {
    if seen.stopping {
        let text = "it was told to stop and ends what it has begun";
        return Verdict { reasons: vec![reason("stopping", "instance", Effect::Unready, text)] };
    }
    if let Some(what) = &seen.starting {
        return Verdict { reasons: vec![reason("starting", "store", Effect::Unready, what)] };
    }
    let mut reasons = Vec::new();
    parts(seen, limits, &mut reasons);
    if store(&seen.store, limits, &mut reasons) {
        match seen.counted {
            Some(ago) if ago > limits.silence => {
                let text = format!("what waits was last counted {} ago", shown(ago));
                reasons.push(reason("blind", "store", Effect::Shown, &text));
            }
            Some(_) => queues(seen, limits, &mut reasons),
            None => {}
        }
    }
    Verdict { reasons }
}

fn parts(seen: &Seen, limits: &Limits, reasons: &mut Vec<Reason>) {
    for (name, part) in &seen.parts {
        if let Some(gone) = part.gone.filter(|gone| *gone > limits.gone) {
            let text = format!("no task of it is left, for {}", shown(gone));
            reasons.push(reason("no-task", name, Effect::Dead, &text));
        }
        if let Some(trouble) = &part.trouble {
            let text = format!("{}: {}", trouble.code, trouble.text);
            reasons.push(reason("not-working", name, Effect::Unready, &text));
        }
        if let Some(note) = &part.note {
            let text = format!("{}: {}", note.code, note.text);
            reasons.push(reason("ill", name, Effect::Shown, &text));
        }
        progress(name, &part.progress, limits, reasons);
    }
}

/// A loop that hangs mends nothing by itself. What it does not get done may be the fault of a database or a
/// broker, which another process would meet as well.
fn progress(name: &str, progress: &Progress, limits: &Limits, reasons: &mut Vec<Reason>) {
    let Progress { turned, undone, paused } = progress;
    if let Some(ago) = turned.filter(|ago| *ago > limits.stall) {
        let text = format!("its loop has not come round for {}", shown(ago));
        reasons.push(reason("stalled", name, Effect::Dead, &text));
    }
    if let Some(time) = undone.filter(|time| *time > limits.stall) {
        let text = format!("something waits for it, and nothing was stored for {}", shown(time));
        reasons.push(reason("no-progress", name, Effect::Unready, &text));
    }
    if let Some((why, time)) = paused {
        let text = format!("{}, for {}: {}", why.code, shown(*time), why.text);
        reasons.push(reason("paused", name, Effect::Shown, &text));
    }
}

/// Answers whether what was counted can be judged by.
fn store(store: &StoreSeen, limits: &Limits, reasons: &mut Vec<Reason>) -> bool {
    if store.absent {
        return false;
    }
    let mut unready = |name, text: &str| reasons.push(reason(name, "store", Effect::Unready, text));
    if let Some(trouble) = &store.schema {
        unready("schema", &format!("{}: {}", trouble.code, trouble.text));
    }
    match (&store.away, store.answered) {
        (Some((lasting, trouble)), _) if *lasting > limits.away => {
            let (code, text) = (&trouble.code, &trouble.text);
            unready("store-away", &format!("{code}, for {}: {text}", shown(*lasting)));
            false
        }
        (_, None) => {
            unready("starting", "the database has not answered yet");
            false
        }
        (_, Some(ago)) if ago > limits.silence => {
            unready("store-silent", &format!("no answer for {}", shown(ago)));
            false
        }
        _ => true,
    }
}

fn queues(seen: &Seen, limits: &Limits, reasons: &mut Vec<Reason>) {
    let is_still = |queue: &QueueSeen| queue.age.min(queue.unmoved).min(queue.idle) > limits.stall;
    let has_failed = seen.store.failed.is_some_and(|ago| ago <= limits.stall);
    for queue in &seen.queues {
        let waits = format!("the oldest waits for {}", shown(queue.age));
        let (name, effect, text) = match &queue.excuse {
            Some(Excuse::Job) => continue,
            Some(Excuse::Paused(why)) => {
                ("paused", Effect::Shown, format!("{waits}; {}: {}", why.code, why.text))
            }
            // A call that is let through now and then moves something and mends nothing.
            Some(Excuse::Closed(_) | Excuse::Unserved) if queue.age <= limits.refused => continue,
            Some(Excuse::Closed(why)) => {
                ("closed", Effect::Shown, format!("{waits}; {}: {}", why.code, why.text))
            }
            Some(Excuse::Unserved) => {
                ("unserved", Effect::Shown, format!("{waits}; it has no publisher here"))
            }
            None if !is_still(queue) => continue,
            // Whoever fails says so, and another process would fail as well.
            None if has_failed => {
                ("failing", Effect::Unready, format!("{waits}; calls of the database fail"))
            }
            None => {
                let idle = shown(queue.idle);
                ("stalled", Effect::Dead, format!("{waits}; nothing was done for {idle}"))
            }
        };
        reasons.push(reason(name, &queue.name, effect, &text));
    }
    for (destination, age) in seen.jobs.iter().filter(|(_, age)| **age > limits.job) {
        let text = format!("its oldest job has not ended after {}", shown(*age));
        reasons.push(reason("job-overdue", destination, Effect::Shown, &text));
    }
}

fn reason(name: &'static str, about: &str, effect: Effect, text: &str) -> Reason {
    Reason { name, about: about.to_owned(), text: text.to_owned(), effect }
}

/// In whole seconds: nobody acts on less.
fn shown(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
