//! Since when a queue has not moved, and for how long nothing of it was done here.

use std::collections::BTreeMap;
use std::time::Duration;

use dipmo_domain::Timestamp;
use dipmo_store::{Backlog, Waiting};
use tokio::time::Instant;

use super::seen::{Excuse, QueueSeen, Trouble};

/// The name of the inbox among the queues.
pub(crate) const INBOX: &str = "inbox";

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
    closed: Option<Trouble>,
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

    pub(super) fn closed(&mut self, name: &str, why: Option<Trouble>) {
        self.of(name).closed = why;
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
                excuse: queue.excuse(),
            })
        });
        seen.collect()
    }

    fn of(&mut self, name: &str) -> &mut Queue {
        self.0.entry(name.to_owned()).or_default()
    }
}

impl Queue {
    fn excuse(&self) -> Option<Excuse> {
        let closed = self.closed.clone().map(Excuse::Closed);
        let unserved = self.unserved.then_some(Excuse::Unserved);
        closed.or(unserved).or(self.has_job.then_some(Excuse::Job))
    }
}
