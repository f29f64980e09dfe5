//! Rows of what left the straight path: it waits, is held or parked, failed, or ended after that.
//!
//! **Invariant:** the indexes always say what the rows say; every change goes through `put` and
//! `remove`.

use dipmo_domain::{Failure, Timestamp};

use crate::database::{Map, Set};
use crate::index::Index;
use crate::side::Side;

/// A row of `inbox_exception` or `outbox_exception`.
#[derive(Clone)]
pub(crate) struct Exception<S: Side> {
    pub(crate) lane: S::Lane,
    pub(crate) key: Option<S::Key>,
    pub(crate) attempts: u32,
    /// How often an operator retried it after it had failed, or while it was parked.
    pub(crate) retried: u32,
    pub(crate) due: Option<Timestamp>,
    pub(crate) held: bool,
    pub(crate) failure: Option<Failure>,
    /// The first later one of its key that went on since it failed.
    pub(crate) overtaken_by: Option<S::Id>,
    pub(crate) columns: S::Columns,
}

impl<S: Side> Exception<S> {
    /// A row of something that was not tried yet.
    pub(crate) const fn untried(lane: S::Lane, key: Option<S::Key>, columns: S::Columns) -> Self {
        Self {
            lane,
            key,
            attempts: 0,
            retried: 0,
            due: None,
            held: false,
            failure: None,
            overtaken_by: None,
            columns,
        }
    }

    /// Counts an attempt and ends whatever it waited for.
    pub(crate) const fn tried(&mut self) {
        self.attempts += 1;
        self.due = None;
        self.held = false;
    }

    /// Makes it due as if it had never been tried.
    pub(crate) const fn begin_again(&mut self, now: Timestamp) {
        self.attempts = 0;
        self.due = Some(now);
        self.held = false;
    }

    /// Puts it behind the head of its key.
    pub(crate) const fn hold(&mut self) {
        self.due = None;
        self.held = true;
    }
}

/// All exception rows of one side.
#[derive(Clone)]
pub(crate) struct Exceptions<S: Side> {
    rows: Map<S::Id, Exception<S>>,
    due: Index<S::Lane, (Timestamp, S::Id)>,
    /// Those that are held or due at some time, by key.
    waiting: Index<S::Key, S::Id>,
    /// Those that failed or were skipped, by key.
    passed_over: Index<S::Key, S::Id>,
    /// Those that have not ended.
    open: Set<S::Id>,
}

impl<S: Side> Exceptions<S> {
    pub(crate) fn get(&self, id: S::Id) -> Option<&Exception<S>> {
        self.rows.get(&id)
    }

    pub(crate) fn put(&mut self, id: S::Id, row: Exception<S>) {
        self.remove(id);
        if let Some(due) = row.due {
            self.due.add(&row.lane, (due, id));
        }
        if let Some(key) = row.key.as_ref().filter(|_| row.held || row.due.is_some()) {
            self.waiting.add(key, id);
        }
        if let Some(key) = row.key.as_ref().filter(|_| S::is_passed_over(&row.columns)) {
            self.passed_over.add(key, id);
        }
        if !S::has_ended(&row.columns) {
            self.open.insert_mut(id);
        }
        self.rows.insert_mut(id, row);
    }

    pub(crate) fn remove(&mut self, id: S::Id) {
        let Some(row) = self.rows.get(&id) else { return };
        if let Some(due) = row.due {
            self.due.remove(&row.lane, &(due, id));
        }
        if let Some(key) = &row.key {
            self.waiting.remove(key, &id);
            self.passed_over.remove(key, &id);
        }
        self.open.remove_mut(&id);
        self.rows.remove_mut(&id);
    }

    /// What has not ended, in the order of ids.
    pub(crate) fn open(&self) -> impl Iterator<Item = (S::Id, &Exception<S>)> {
        self.open.iter().filter_map(|id| Some((*id, self.rows.get(id)?)))
    }

    /// What is due in a lane, the longest due first.
    pub(crate) fn due<'a>(
        &'a self,
        lane: &S::Lane,
        now: Timestamp,
    ) -> impl Iterator<Item = S::Id> + use<'a, S> {
        self.due.of(lane).take_while(move |(due, _)| *due <= now).map(|(_, id)| *id)
    }

    /// The lanes in which something waits for its time, sorted.
    pub(crate) fn due_lanes(&self, now: Timestamp) -> impl Iterator<Item = &S::Lane> {
        self.due.keys().filter(move |lane| self.due(lane, now).next().is_some())
    }

    /// What is held behind the head of a key, in the order of ids.
    pub(crate) fn held<'a>(&'a self, key: &S::Key) -> impl Iterator<Item = S::Id> + use<'a, S> {
        self.waiting(key).filter(|(_, row)| row.held).map(|(id, _)| id)
    }

    /// What of a key failed or was skipped, in the order of ids.
    pub(crate) fn passed_over<'a>(
        &'a self,
        key: &S::Key,
    ) -> impl Iterator<Item = S::Id> + use<'a, S> {
        self.passed_over.of(key).copied()
    }

    /// Notes for those of a key that failed, and that `later` comes after, that it went on without
    /// them.
    pub(crate) fn overtake(
        &mut self,
        key: &S::Key,
        later: S::Id,
        comes_after: impl Fn(S::Id) -> bool,
    ) {
        let earlier: Vec<S::Id> = self.passed_over(key).filter(|id| comes_after(*id)).collect();
        for id in earlier {
            if let Some(row) = self.get(id).filter(|row| row.overtaken_by.is_none()).cloned() {
                self.put(id, Exception { overtaken_by: Some(later), ..row });
            }
        }
    }

    /// What of a key is held or waits for its time, in the order of ids.
    pub(crate) fn waiting<'a>(
        &'a self,
        key: &S::Key,
    ) -> impl Iterator<Item = (S::Id, &'a Exception<S>)> + use<'a, S> {
        self.waiting.of(key).filter_map(|id| Some((*id, self.rows.get(id)?)))
    }
}

impl<S: Side> Default for Exceptions<S> {
    fn default() -> Self {
        Self {
            rows: Map::default(),
            due: Index::default(),
            waiting: Index::default(),
            passed_over: Index::default(),
            open: Set::default(),
        }
    }
}
