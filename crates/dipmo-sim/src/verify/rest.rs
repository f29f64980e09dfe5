//! What is left to do.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dipmo_domain::{InboxStatus, OutboxStatus};

use super::end::End;
use crate::sim::Sim;

/// Longer than anything waits for its next attempt.
const LONGER: Duration = Duration::from_secs(60);

/// What is left to do.
#[derive(Default)]
pub(crate) struct Rest {
    messages: Vec<String>,
    parked: usize,
    units: Vec<String>,
    jobs: Vec<String>,
    timers: usize,
}

impl Rest {
    pub(crate) const fn is_nothing(&self) -> bool {
        self.is_nothing_else() && self.parked == 0
    }

    pub(crate) const fn only_waits_for_versions(&self) -> bool {
        self.is_nothing_else() && self.parked > 0
    }

    const fn is_nothing_else(&self) -> bool {
        self.messages.is_empty()
            && self.units.is_empty()
            && self.jobs.is_empty()
            && self.timers == 0
    }
}

impl fmt::Display for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { messages, parked, units, jobs, timers } = self;
        write!(f, "{parked} parked, {timers} timers, {jobs:?}, ")?;
        write!(f, "messages {messages:#?}, units {units:#?}")
    }
}

/// Looks for what is left to do.
pub(crate) async fn rest(sim: &Arc<Sim>) -> Result<Rest, String> {
    let end = End::read(sim).await.map_err(|error| error.to_string())?;
    let timers = sim.witness().timers.count();
    let mut rest = Rest { timers, jobs: sim.witness().jobs.left(), ..Rest::default() };
    let far = sim.clock.read().after(LONGER);
    for row in end.messages.values() {
        let is_open = matches!(row.status, InboxStatus::Received | InboxStatus::Retry);
        if !is_open || end.is_held(row) {
            continue;
        }
        // One that was tried before it was parked is still to be tried again by its status.
        let is_received = row.status == InboxStatus::Received;
        if row.next_attempt_at.is_some_and(|due| is_received || due > far) {
            rest.parked += 1;
        } else {
            rest.messages.push(format!(
                "{} {} {} of {:?}, due {:?}, held behind {:?}",
                row.message.id,
                row.message.topic,
                row.status,
                row.message.aggregate_id,
                row.next_attempt_at,
                row.held_behind
            ));
        }
    }
    // What was given up holds up nobody.
    let failed: BTreeSet<_> = end
        .units()
        .filter(|unit| unit.status == OutboxStatus::Failed && !unit.skipped)
        .map(|unit| unit.id)
        .collect();
    for unit in end.units().filter(|unit| unit.status == OutboxStatus::Pending) {
        if !unit.held_behind.is_some_and(|head| failed.contains(&head)) {
            let (id, to, behind) = (unit.id, &unit.intent.destination, unit.held_behind);
            rest.units.push(format!("{id} to {to}, {} attempts, behind {behind:?}", unit.attempts));
        }
    }
    Ok(rest)
}
