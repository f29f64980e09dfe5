//! A batch that is watched: what it claimed, what it changed, and what happens in between.

use std::sync::{Arc, Mutex};

use dipmo_domain::{InboxId, Timestamp};
use dipmo_store::{BatchLogic, Changes, ClaimedBatch, Found, Needs};

use crate::fault::Faulty;
use crate::sim::lock;

/// What a batch did, told when it was committed.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) now: Option<Timestamp>,
    pub(crate) claimed: Vec<InboxId>,
    pub(crate) changes: Vec<Changes>,
}

/// The logic of an engine, with ears.
pub(super) struct Watched {
    pub(super) logic: Box<dyn BatchLogic>,
    pub(super) done: Arc<Mutex<Done>>,
    pub(super) from: Faulty,
}

impl BatchLogic for Watched {
    fn claimed(&mut self, batch: ClaimedBatch) {
        {
            let mut done = lock(&self.done);
            done.now = Some(batch.now);
            done.claimed = batch.messages.iter().map(|claimed| claimed.message.id).collect();
        }
        self.logic.claimed(batch);
        self.from.interrupt();
    }

    fn needs(&mut self) -> Option<Needs> {
        let needs = self.logic.needs();
        self.from.interrupt();
        needs
    }

    fn decide(&mut self, found: Found) -> Changes {
        let changes = self.logic.decide(found);
        lock(&self.done).changes.push(changes.clone());
        changes
    }
}
