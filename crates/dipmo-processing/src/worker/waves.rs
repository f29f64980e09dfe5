//! Which messages of a batch are decided together.
//!
//! Most batches are one wave. A message that reads facts, or goes to a handler, must find in the
//! database what the message before it wrote: it opens a new wave when one of its order key or of
//! its instance is in this one already.

use std::collections::HashSet;

use dipmo_domain::{OrderKey, ProcessKey};

use super::item::{Item, Taker};

/// The places of the messages of the next wave, in order. `open` are those that are not settled.
pub(crate) fn next(items: &[Item], open: &[usize], first: bool) -> Vec<usize> {
    if open.iter().all(|place| !items[*place].reads()) {
        return open.to_vec();
    }
    let mut joined = Group::default();
    let mut later = Group::default();
    let mut wave = Vec::new();
    for place in open {
        let item = &items[*place];
        // The blocks are read with the first wave, and a handler cannot be taken back.
        let too_soon = first && matches!(item.taker, Taker::Handler(_));
        if too_soon || later.has(item) || (item.reads() && joined.has(item)) {
            later.add(item);
        } else {
            joined.add(item);
            wave.push(*place);
        }
    }
    wave
}

/// Order keys and instances that some messages have.
#[derive(Default)]
struct Group<'a> {
    order_keys: HashSet<&'a OrderKey>,
    instances: HashSet<&'a ProcessKey>,
}

impl<'a> Group<'a> {
    fn has(&self, item: &Item) -> bool {
        item.order_key.as_ref().is_some_and(|key| self.order_keys.contains(key))
            || item.instance().is_some_and(|key| self.instances.contains(key))
    }

    fn add(&mut self, item: &'a Item) {
        self.order_keys.extend(&item.order_key);
        self.instances.extend(item.instance());
    }
}
