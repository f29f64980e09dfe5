//! Order keys that wait for a head.

use std::collections::HashSet;

use dipmo_domain::{Lane, OrderKey};

use crate::sql::{self, Call, Which, params};

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

    /// Makes the keys wait for these heads; a key with several waits for the last.
    pub(crate) fn set(self, which: Which) -> Option<Call> {
        let mut last = Self::default();
        let mut seen = HashSet::new();
        for at in (0..self.ids.len()).rev() {
            if seen.insert((&self.queues[at], &self.keys[at])) {
                last.queues.push(self.queues[at].clone());
                last.keys.push(self.keys[at].clone());
                last.ids.push(self.ids[at]);
                last.lanes.push(self.lanes[at]);
            }
        }
        let Self { queues, keys, ids, lanes } = last;
        (!ids.is_empty()).then(|| sql::block_set(which).with(params![queues, keys, ids, lanes]))
    }

    /// Fails unless every one of these keys waits for a head: what is held behind nothing would
    /// never be let go.
    pub(crate) fn check(self, which: Which) -> Option<Call> {
        (!self.ids.is_empty()).then(|| sql::held_check(which).with(params![self.queues, self.keys]))
    }

    /// Ends the blocks of these heads, where they are heads.
    pub(crate) fn end(self, which: Which) -> Option<Call> {
        (!self.ids.is_empty())
            .then(|| sql::block_end(which).with(params![self.queues, self.keys, self.ids]))
    }
}
