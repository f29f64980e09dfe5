//! Order keys that wait for a head.

use std::collections::HashSet;

use dipmo_domain::{Lane, OrderKey};

use crate::sql::{self, Call, Sql, Which, params};

/// Messages or units with their order keys, collected for one statement.
#[derive(Default)]
pub(crate) struct Heads {
    queues: Vec<String>,
    keys: Vec<String>,
    ids: Vec<i64>,
    lanes: Vec<i16>,
}

impl Heads {
    pub(crate) fn push(&mut self, queue: &str, key: &OrderKey, id: i64, lane: Lane) {
        self.queues.push(queue.to_owned());
        self.keys.push(key.as_str().to_owned());
        self.ids.push(id);
        self.lanes.push(i16::from(lane.index()));
    }

    /// Makes the keys wait for these heads; a key with several waits for the earliest.
    pub(crate) fn set(self, which: Which) -> Option<Call> {
        let mut first = Self::default();
        let mut seen = HashSet::new();
        let mut by_id: Vec<usize> = (0..self.ids.len()).collect();
        by_id.sort_by_key(|at| self.ids[*at]);
        for at in by_id {
            if seen.insert((&self.queues[at], &self.keys[at])) {
                first.queues.push(self.queues[at].clone());
                first.keys.push(self.keys[at].clone());
                first.ids.push(self.ids[at]);
                first.lanes.push(self.lanes[at]);
            }
        }
        let Self { queues, keys, ids, lanes } = first;
        (!ids.is_empty()).then(|| sql::block_set(which).with(params![queues, keys, ids, lanes]))
    }

    /// Notes for earlier units of the same keys that failed that these went on without them.
    pub(crate) fn overtake(self) -> Option<Call> {
        (!self.ids.is_empty())
            .then(|| sql::unit_overtake().with(params![self.queues, self.keys, self.ids]))
    }

    /// Takes care, with a statement, of those that are held behind nothing.
    pub(crate) fn adopt(self, statement: Sql) -> Option<Call> {
        let Self { queues, keys, ids, lanes } = self;
        (!ids.is_empty()).then(|| statement.with(params![queues, keys, ids, lanes]))
    }

    /// Makes keys that wait for nobody wait for these; what comes before them may pass.
    pub(crate) fn bar(self) -> Option<Call> {
        let Self { keys, ids, lanes, .. } = self;
        (!ids.is_empty()).then(|| sql::block_bar().with(params![keys, ids, lanes]))
    }

    /// Ends the blocks of these heads, where they are heads.
    pub(crate) fn end(self, which: Which) -> Option<Call> {
        (!self.ids.is_empty())
            .then(|| sql::block_end(which).with(params![self.queues, self.keys, self.ids]))
    }
}
