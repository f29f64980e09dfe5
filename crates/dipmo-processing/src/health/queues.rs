//! Since when a queue has not moved, and for how long nothing of it was done here.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_store::{Backlog, Waiting};
use tokio::time::Instant;

use super::seen::{Excuse, QueueSeen, Trouble};

/// The name of the inbox among the queues.
pub(crate) const INBOX: &str = "inbox";

/// A destination that takes something again is being tried out for so long: a breaker lets a few calls
/// through, which may hang. What waits after that waits for another reason.
const PROBED: Duration = Duration::from_secs(60);

/// All queues that anything is known of.
#[derive(Debug, Default)]
pub(super) struct Queues(BTreeMap<String, Queue>);

#[derive(Debug, Default)]
struct Queue {
    /// RECEIVED_AT or CREATED_AT of the oldest as last counted, its age then, and since when it is
    /// that one.
    oldest: Option<(Timestamp, Duration, Instant)>,
    /// When something of it was last done here, or is to be done at the latest.
    worked: Option<Instant>,
    /// Why an operator holds it back.
    paused: Option<Trouble>,
    /// Why it takes nothing.
    closed: Option<Trouble>,
    /// Since when it takes something again.
    reopened: Option<Instant>,
    unserved: bool,
    has_job: bool,
}

impl Queues {
    /// Takes a count in.
    pub(super) fn counted(&mut self, backlog: &Backlog, now: Instant) {
        let outbox = backlog.outbox.iter().map(|(name, waiting)| (name.as_str(), waiting));
        let sides: BTreeMap<&str, &Waiting> = outbox.chain([(INBOX, &backlog.inbox)]).collect();
        for (name, queue) in &mut self.0 {
            queue.has_job = backlog.jobs.contains_key(name);
            if !sides.contains_key(name.as_str()) {
                queue.oldest = None;
            }
        }
        for (name, waiting) in sides {
            let queue = self.of(name);
            queue.has_job = backlog.jobs.contains_key(name);
            let before = queue.oldest;
            queue.oldest = waiting.oldest.map(|oldest| {
                let same = before.filter(|(known, ..)| *known == oldest);
                let since = same.map_or(now, |(_, _, since)| since);
                (oldest, backlog.at.since(oldest), since)
            });
        }
    }

    /// Something of it was done, or will have been done at `at`.
    pub(super) fn worked(&mut self, name: &str, at: Instant) {
        let queue = self.of(name);
        queue.worked = queue.worked.max(Some(at));
    }

    /// Why it takes nothing, or that it takes something again.
    pub(super) fn closed(&mut self, name: &str, why: Option<Trouble>, now: Instant) {
        let queue = self.of(name);
        match why {
            Some(_) => (queue.closed, queue.reopened) = (why, None),
            None => queue.reopened = queue.reopened.or(Some(now)),
        }
    }

    /// Why an operator holds it back, or that nobody does any more: then it is to be worked on from now.
    pub(super) fn paused(&mut self, name: &str, why: Option<Trouble>, now: Instant) {
        let queue = self.of(name);
        if queue.paused.is_some() && why.is_none() {
            queue.worked = queue.worked.max(Some(now));
        }
        queue.paused = why;
    }

    pub(super) fn unserved(&mut self, names: &[String]) {
        for (name, queue) in &mut self.0 {
            queue.unserved = names.contains(name);
        }
        names.iter().for_each(|name| self.of(name).unserved = true);
    }

    /// Those in which something waits. `began` is when this instance began to work on such.
    pub(super) fn seen(
        &self,
        now: Instant,
        began: impl Fn(&str) -> Option<Instant>,
    ) -> Vec<QueueSeen> {
        let seen = self.0.iter().filter_map(|(name, queue)| {
            let (_, age, since) = queue.oldest?;
            let worked = queue.worked.max(Some(began(name)?))?;
            Some(QueueSeen {
                name: name.clone(),
                age,
                unmoved: now.saturating_duration_since(since),
                idle: now.saturating_duration_since(worked),
                excuse: queue.excuse(now),
            })
        });
        seen.collect()
    }

    fn of(&mut self, name: &str) -> &mut Queue {
        self.0.entry(name.to_owned()).or_default()
    }
}

impl Queue {
    fn excuse(&self, now: Instant) -> Option<Excuse> {
        if let Some(why) = &self.paused {
            return Some(Excuse::Paused(why.clone()));
        }
        let is_open = self.reopened.is_some_and(|at| now.saturating_duration_since(at) > PROBED);
        let closed = self.closed.clone().filter(|_| !is_open).map(Excuse::Closed);
        let unserved = self.unserved.then_some(Excuse::Unserved);
        closed.or(unserved).or(self.has_job.then_some(Excuse::Job))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog(waiting: Waiting) -> Backlog {
        Backlog {
            inbox: Waiting::default(),
            outbox: [("KAFKA:a".to_owned(), waiting)].into(),
            jobs: [].into(),
            timers: 0,
            at: Timestamp::EPOCH.after(Duration::from_secs(20)),
        }
    }

    /// Something waits at a destination that was closed so long ago, and opened again or not.
    fn is_closed(ago: Duration, reopens: bool) -> bool {
        let (began, mut queues) = (Instant::now(), Queues::default());
        let waiting = Waiting { ready: 1, oldest: Some(Timestamp::EPOCH), ..Waiting::default() };
        queues.counted(&backlog(waiting), began);
        let trouble = Trouble { code: "salesforce-breaker-open".to_owned(), text: String::new() };
        queues.closed("KAFKA:a", Some(trouble), began);
        if reopens {
            queues.closed("KAFKA:a", None, began);
        }
        let seen = queues.seen(began + ago, |_| Some(began));
        matches!(seen[..], [QueueSeen { excuse: Some(Excuse::Closed(_)), .. }])
    }

    #[test]
    fn what_was_paused_is_not_late_when_it_is_resumed() {
        let (began, mut queues) = (Instant::now(), Queues::default());
        let waiting = Waiting { ready: 1, oldest: Some(Timestamp::EPOCH), ..Waiting::default() };
        queues.counted(&backlog(waiting), began);
        let why = Trouble { code: "destination-paused".to_owned(), text: String::new() };
        queues.paused("KAFKA:a", Some(why.clone()), began);
        let hour = began + Duration::from_secs(3_600);
        let seen = |queues: &Queues| queues.seen(hour, |_| Some(began)).remove(0);
        assert_eq!(seen(&queues).excuse, Some(Excuse::Paused(why)));
        queues.paused("KAFKA:a", None, hour);
        let resumed = seen(&queues);
        assert_eq!((resumed.excuse, resumed.idle), (None, Duration::ZERO));
    }

    #[test]
    fn a_destination_that_is_tried_out_counts_as_closed() {
        let second = Duration::from_secs(1);
        assert!(is_closed(PROBED, true), "a call that is let through may hang");
        assert!(!is_closed(PROBED + second, true));
        assert!(is_closed(PROBED + second, false));
    }
}
