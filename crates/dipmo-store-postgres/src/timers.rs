//! Timers: set and cancelled with a batch, turned into messages when they are due.

use dipmo_api::TimerChange;
use dipmo_domain::ProcessKey;
use dipmo_inbox::NewMessage;
use dipmo_store::{DueTimer, TimerWrite, timer_message};
use tokio_postgres::Row;

use crate::exception::micros;
use crate::sql::{self, Call, params};
use crate::types::PgJson;

/// The statements for timers of a batch: the last change of a name counts.
pub(crate) fn calls(changes: Vec<TimerWrite>) -> Vec<Call> {
    let mut last: Vec<TimerWrite> = Vec::with_capacity(changes.len());
    for change in changes {
        last.retain(|other| key(other) != key(&change));
        last.push(change);
    }
    let (mut set, mut cancelled) = (Set::default(), Cancelled::default());
    for TimerWrite { instance, aggregate_id, change } in last {
        match change {
            TimerChange::Set { name, after, event_type, payload } => {
                set.0.push(instance.process);
                set.1.push(instance.id);
                set.2.push(name);
                set.3.push(micros(after));
                set.4.push(aggregate_id);
                set.5.push(event_type);
                set.6.push(PgJson(payload));
            }
            TimerChange::Cancel { name } => {
                cancelled.0.push(instance.process);
                cancelled.1.push(instance.id);
                cancelled.2.push(name);
            }
        }
    }
    let mut calls = Vec::new();
    if !set.0.is_empty() {
        let (process, instance, name, due, aggregate, event_type, payload) = set;
        calls.push(
            sql::timer_set()
                .with(params![process, instance, name, due, aggregate, event_type, payload]),
        );
    }
    if !cancelled.0.is_empty() {
        let (process, instance, name) = cancelled;
        calls.push(sql::timer_cancel().with(params![process, instance, name]));
    }
    calls
}

type Set = (
    Vec<String>,
    Vec<String>,
    Vec<&'static str>,
    Vec<i64>,
    Vec<String>,
    Vec<&'static str>,
    Vec<PgJson>,
);
type Cancelled = (Vec<String>, Vec<String>, Vec<&'static str>);

fn key(write: &TimerWrite) -> (&ProcessKey, &'static str) {
    match &write.change {
        TimerChange::Set { name, .. } | TimerChange::Cancel { name } => (&write.instance, name),
    }
}

/// The messages of timers that were taken.
pub(crate) fn messages(due: &[Row]) -> Vec<NewMessage> {
    due.iter()
        .map(|row| {
            let timer = DueTimer {
                instance: ProcessKey { process: row.get(0), id: row.get(1) },
                name: row.get(2),
                aggregate_id: row.get(3),
                event_type: row.get(4),
                payload: row.get::<_, PgJson>(5).0,
            };
            timer_message(&timer, row.get(6))
        })
        .collect()
}
