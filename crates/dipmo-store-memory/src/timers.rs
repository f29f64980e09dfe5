//! Timers, and the messages that they become.

use dipmo_api::TimerChange;
use dipmo_domain::{ProcessKey, StoreError, Timestamp};
use dipmo_store::{DueTimer, TimerWrite, timer_message};

use crate::database::{Database, Map, Set};
use crate::insert::insert;

/// Whose timer, and its name.
type TimerKey = (ProcessKey, String);

/// All timers.
#[derive(Clone, Default)]
pub(crate) struct Timers {
    rows: Map<TimerKey, (Timestamp, DueTimer)>,
    due: Set<(Timestamp, TimerKey)>,
    /// Grows with each firing.
    pub(crate) last_sequence: i64,
}

/// Sets or cancels a timer.
pub(crate) fn write_timer(timers: &mut Timers, write: &TimerWrite, now: Timestamp) {
    match &write.change {
        TimerChange::Cancel { name } => {
            timers.remove(&(write.instance.clone(), (*name).to_owned()));
        }
        TimerChange::Set { name, after, event_type, payload } => {
            let timer = DueTimer {
                instance: write.instance.clone(),
                name: (*name).to_owned(),
                aggregate_id: write.aggregate_id.clone(),
                event_type: (*event_type).to_owned(),
                payload: payload.clone(),
            };
            timers.set(timer, now.after(*after));
        }
    }
}

/// Turns due timers into messages, the longest due first; answers how many.
pub(crate) fn fire(
    database: &mut Database,
    limit: u32,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let mut fired = 0;
    for _ in 0..limit {
        let Some(timer) = database.timers.take_due(now) else { break };
        database.timers.last_sequence += 1;
        let message = timer_message(&timer, database.timers.last_sequence);
        insert(&mut database.inbox, &message, now)?;
        fired += 1;
    }
    Ok(fired)
}

impl Timers {
    /// How many are set.
    pub(crate) fn len(&self) -> usize {
        self.rows.size()
    }

    fn set(&mut self, timer: DueTimer, due: Timestamp) {
        let key = (timer.instance.clone(), timer.name.clone());
        self.remove(&key);
        self.due.insert_mut((due, key.clone()));
        self.rows.insert_mut(key, (due, timer));
    }

    fn remove(&mut self, key: &TimerKey) -> Option<DueTimer> {
        let (due, timer) = self.rows.get(key).cloned()?;
        self.rows.remove_mut(key);
        self.due.remove_mut(&(due, key.clone()));
        Some(timer)
    }

    fn take_due(&mut self, now: Timestamp) -> Option<DueTimer> {
        let (due, key) = self.due.first()?.clone();
        if due <= now { self.remove(&key) } else { None }
    }
}
