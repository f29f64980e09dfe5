//! Row locks: who still holds which record, and until when.
//!
//! A write here takes no time, so a lock is held on purpose after it, as long as the schema or a
//! test says. Nobody waits inside: a transaction that meets a lock says until when it is held, and
//! whoever runs it decides whether to wait and run it again.

use std::sync::Arc;

use hashbrown::HashMap;
use jiff::Timestamp;

use super::id::RecordId;
use super::stage::Staged;
use super::transaction::Transaction;
use crate::refusal::Refusal;
use crate::schema::{FieldId, ObjectId, Source};
use crate::value::Value;

/// Who holds a lock: a job is one holder with all its chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Call(u64),
    Job(Arc<str>),
    /// A test that asked for it.
    Test,
}

/// The locks that are held.
#[derive(Debug, Default)]
pub(crate) struct LockTable {
    held: HashMap<RecordId, (Holder, Timestamp)>,
    /// How many locks there may be before those that are over are looked for.
    sweep_at: usize,
}

impl LockTable {
    /// Whether nobody holds anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Until when somebody else holds the record.
    pub(crate) fn until(
        &self,
        record: RecordId,
        asking: &Holder,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let (holder, until) = self.held.get(&record)?;
        (*until > now && holder != asking).then_some(*until)
    }

    /// Holds the records.
    pub(crate) fn hold(
        &mut self,
        records: impl IntoIterator<Item = RecordId>,
        holder: &Holder,
        until: Timestamp,
    ) {
        for record in records {
            self.held.insert(record, (holder.clone(), until));
        }
    }

    /// Forgets what is over once the table has doubled, so that it stays small at little cost.
    pub(super) fn sweep(&mut self, now: Timestamp) {
        if self.held.len() >= self.sweep_at {
            self.held.retain(|_, (_, until)| *until > now);
            self.sweep_at = (self.held.len() * 2).max(64);
        }
    }
}

impl Transaction<'_> {
    /// Takes the locks of the record and of the parents that the write points to, or says that
    /// somebody else has one.
    pub(super) fn lock(
        &mut self,
        object: ObjectId,
        id: Option<RecordId>,
        staged: &Staged,
    ) -> Result<(), Refusal> {
        if !self.keeps_locks() && self.org.locks.is_empty() {
            return Ok(());
        }
        let schema = self.schema.clone();
        let parent = |(field, value): &(FieldId, Value)| {
            let definition = &schema[object][*field];
            definition.reference().filter(|_| definition.source == Source::Written)?;
            self.org.record_id(value.as_text()?)
        };
        let wanted: Vec<_> = id.into_iter().chain(staged.iter().filter_map(parent)).collect();
        for &record in &wanted {
            if let Some(until) = self.org.locks.until(record, &self.holder, self.caller.now) {
                self.blocked = self.blocked.max(Some(until));
                let id = self.org.id_text(record);
                let message =
                    format!("unable to obtain exclusive access to this record or 1 records: {id}");
                return Err(Refusal::of_record("UNABLE_TO_LOCK_ROW", message).held_until(until));
            }
        }
        if self.keeps_locks() {
            self.touched.extend(wanted);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_stops_others_until_its_time() {
        let record = RecordId { object: ObjectId(0), serial: 1 };
        let (one, other) = (Holder::Call(1), Holder::Job("750".into()));
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut locks = LockTable::default();
        locks.hold([record], &one, at(10));
        assert_eq!(locks.until(record, &other, at(9)), Some(at(10)));
        assert_eq!(locks.until(record, &one, at(9)), None);
        assert_eq!(locks.until(record, &other, at(10)), None);
        locks.sweep(at(10));
        assert!(locks.is_empty());
    }
}
