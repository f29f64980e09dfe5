//! Counting what waits: the indexes of what is ready and of what has not ended, and never the logs.

use std::collections::BTreeMap;

use dipmo_domain::{InboxStatus, OutboxId, OutboxStatus, Timestamp};
use dipmo_outbox::Job;
use dipmo_store::{Backlog, OpenJobs, Waiting};

use crate::database::Database;
use crate::exceptions::Exception;
use crate::inbox::InboxTables;
use crate::job_tables::JobTables;
use crate::outbox::OutboxTables;
use crate::side::{InboxSide, OutboxSide, Side};

pub(crate) fn backlog(database: &Database, now: Timestamp) -> Backlog {
    Backlog {
        inbox: messages(&database.inbox, now),
        outbox: units(&database.outbox, now),
        jobs: jobs(&database.outbox.jobs),
        timers: count(database.timers.len()),
        at: now,
    }
}

fn messages(inbox: &InboxTables, now: Timestamp) -> Waiting {
    let mut waiting = Waiting { ready: count(inbox.ready.len()), ..Waiting::default() };
    // Later ids came later: the first of each lane is its oldest.
    let firsts = inbox.ready.keys().filter_map(|lane| inbox.ready.first(lane));
    let due = inbox.exceptions.open().filter(|(_, row)| is_due(row, now)).map(|(id, _)| id);
    let claimable = firsts.copied().chain(due);
    waiting.oldest = claimable.filter_map(|id| Some(inbox.log.get(&id)?.received_at)).min();
    for (_, row) in inbox.exceptions.open() {
        *message_place(&mut waiting, row) += 1;
    }
    waiting
}

fn message_place<'a>(waiting: &'a mut Waiting, row: &Exception<InboxSide>) -> &'a mut u64 {
    match row.columns.status {
        InboxStatus::Failed | InboxStatus::SerdeError => &mut waiting.failed,
        _ if row.held => &mut waiting.held,
        _ if row.columns.parked_until.is_some() => &mut waiting.parked,
        _ => &mut waiting.retrying,
    }
}

fn units(outbox: &OutboxTables, now: Timestamp) -> BTreeMap<String, Waiting> {
    let mut all: BTreeMap<String, Waiting> = BTreeMap::new();
    for lane in outbox.ready.keys() {
        let waiting = all.entry(lane.destination.to_string()).or_default();
        let chunks = outbox.ready.of(lane).filter_map(|chunk| outbox.chunks.get(chunk));
        waiting.ready += chunks.map(|units| count(units.len())).sum::<u64>();
        if let Some(first) = outbox.ready.first(lane) {
            came(waiting, outbox, *first);
        }
    }
    for (unit, row) in outbox.exceptions.open() {
        let waiting = all.entry(row.lane.destination.to_string()).or_default();
        *unit_place(waiting, row) += 1;
        if is_due(row, now) {
            came(waiting, outbox, unit);
        }
    }
    all
}

fn unit_place<'a>(waiting: &'a mut Waiting, row: &Exception<OutboxSide>) -> &'a mut u64 {
    match row.columns.status {
        OutboxStatus::Failed => &mut waiting.failed,
        _ if row.held => &mut waiting.held,
        _ => &mut waiting.retrying,
    }
}

fn jobs(tables: &JobTables) -> BTreeMap<String, OpenJobs> {
    let mut all: BTreeMap<String, OpenJobs> = BTreeMap::new();
    for Job { destination, created_at, .. } in tables.open() {
        let none = OpenJobs { jobs: 0, oldest: *created_at };
        let open = all.entry(destination.to_string()).or_insert(none);
        open.jobs += 1;
        open.oldest = open.oldest.min(*created_at);
    }
    all
}

/// A unit could be worked on.
fn came(waiting: &mut Waiting, outbox: &OutboxTables, unit: OutboxId) {
    let intent = outbox.units.get(&unit).and_then(|unit| outbox.log.get(&unit.intent));
    let created_at = intent.map(|intent| intent.created_at);
    waiting.oldest = waiting.oldest.into_iter().chain(created_at).min();
}

fn is_due<S: Side>(row: &Exception<S>, now: Timestamp) -> bool {
    row.due.is_some_and(|due| due <= now)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
