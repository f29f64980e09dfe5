//! A transaction: writes that can be taken back, all or down to a savepoint.
//!
//! It holds the org alone. What is not committed when it is dropped never happened: no record, no
//! history, no number of the sequence, no lock.

use std::sync::Arc;

use jiff::Timestamp;

use super::Org;
use super::id::RecordId;
use super::locks::Holder;
use super::undo::Undo;
use crate::clock::seeded;
use crate::fault::RowFaults;
use crate::schema::{Distribution, FieldId, Schema};
use crate::soql::Cursors;
use crate::value::Value;

/// On whose behalf a transaction runs.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The number of the call, or of the call that closed the job.
    pub(crate) call: u64,
    /// The id of the bulk job.
    pub(crate) job: Option<Arc<str>>,
    pub(crate) user: RecordId,
    pub(crate) now: Timestamp,
    /// What is random is drawn by it: a call that runs again after a lock draws the same.
    pub(crate) draw: u64,
    /// Who refuses rows because a test asked for it.
    pub(crate) faults: Option<RowFaults>,
}

/// Writes that can be taken back.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    pub(super) org: &'a mut Org,
    pub(super) schema: Arc<Schema>,
    pub(super) caller: Caller,
    pub(super) holder: Holder,
    pub(super) undo: Vec<Undo>,
    /// The rows that are locked when this is committed.
    pub(super) touched: Vec<RecordId>,
    pub(super) blocked: Option<Timestamp>,
    /// Whether a duplicate that a rule only warns of is saved.
    pub(super) allow_duplicates: bool,
    /// What the write at hand gives; kept between writes for its room.
    pub(super) staged: Vec<(FieldId, Value)>,
}

/// A point to which a transaction can go back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Savepoint {
    undo: usize,
    touched: usize,
}

impl<'a> Transaction<'a> {
    /// Begins.
    pub(crate) fn begin(org: &'a mut Org, caller: Caller) -> Self {
        let holder = match &caller.job {
            Some(job) => Holder::Job(job.clone()),
            None => Holder::Call(caller.call),
        };
        Transaction {
            schema: org.schema.clone(),
            org,
            caller,
            holder,
            undo: Vec::new(),
            touched: Vec::new(),
            blocked: None,
            allow_duplicates: false,
            staged: Vec::new(),
        }
    }

    /// Keeps what was written, and locks it as long as the schema says.
    pub(crate) fn commit(mut self) {
        self.undo.clear();
        if self.touched.is_empty() {
            return;
        }
        let now = self.caller.now;
        let hold = self.schema.locks.hold.sample(&mut self.org.rng);
        self.org.locks.sweep(now);
        if let Ok(until) = now.checked_add(hold)
            && until > now
        {
            self.org.locks.hold(self.touched.drain(..), &self.holder, until);
        }
    }

    /// A point to go back to.
    pub(crate) fn savepoint(&self) -> Savepoint {
        Savepoint { undo: self.undo.len(), touched: self.touched.len() }
    }

    /// Takes back what was written since.
    pub(crate) fn rollback_to(&mut self, savepoint: Savepoint) {
        while self.undo.len() > savepoint.undo {
            if let Some(undo) = self.undo.pop() {
                self.org.take_back(undo);
            }
        }
        self.touched.truncate(savepoint.touched);
    }

    /// Until when a row is held that this transaction wanted. Its answer has a refusal for that
    /// row; whoever may still wait drops the transaction, waits and runs it again.
    pub(crate) fn blocked(&self) -> Option<Timestamp> {
        self.blocked
    }

    /// The header `Sforce-Duplicate-Rule-Header: allowSave=true`.
    pub(crate) fn allow_duplicates(&mut self, allow: bool) {
        self.allow_duplicates = allow;
    }

    /// The rules of the org.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The random numbers of one purpose in this transaction. They depend on how many calls with data
    /// there were since the start or a reset, and on nothing that happens meanwhile.
    pub(crate) fn chance(&self, purpose: &str) -> fastrand::Rng {
        seeded(self.org.seed, purpose, self.caller.draw)
    }

    /// The org, to read from.
    pub(crate) fn org(&self) -> &Org {
        self.org
    }

    /// The open cursors of queries, which no rollback concerns.
    pub(crate) fn cursors(&mut self) -> &mut Cursors {
        &mut self.org.cursors
    }

    /// Whether rows stay locked for a time, so that it matters which were touched.
    pub(super) fn keeps_locks(&self) -> bool {
        self.schema.locks.hold != Distribution::NONE
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        self.rollback_to(Savepoint { undo: 0, touched: 0 });
    }
}
