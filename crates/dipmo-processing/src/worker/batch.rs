//! A batch: every claimed message is decided or held, in order, inside the store's transaction.
//!
//! **Invariant:** of one order key at most one message of a batch is left waiting as its head, and
//! everything behind it is held. What was blocked when the batch began stays blocked for all of it:
//! who is let go comes back in order, in a later batch.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use dipmo_domain::{InboxId, OrderKey, Timestamp};
use dipmo_store::{BatchLogic, Block, Changes, ClaimedBatch, Found, HandlerCall, Needs};

use super::instances::Instances;
use super::item::{Item, Taker};
use super::passed_over::{self, Gaps};
use super::rules::Rules;
use super::tally::SharedTally;
use super::trial::Trial;
use super::waves;

/// The logic of one batch.
pub(crate) struct Batch {
    pub(super) rules: Arc<Rules>,
    pub(super) trial: Trial,
    pub(super) tally: SharedTally,
    pub(super) random: fastrand::Rng,
    pub(super) now: Timestamp,
    pub(super) items: Vec<Item>,
    pub(super) instances: Instances,
    blocks: HashMap<OrderKey, Block>,
    pub(super) gaps: Gaps,
    /// Keys of which a message of this batch has become the head.
    pub(super) stopped: HashSet<OrderKey>,
    open: Vec<usize>,
    wave: Vec<usize>,
    waves: usize,
}

impl Batch {
    pub(crate) fn new(
        rules: Arc<Rules>,
        trial: Trial,
        tally: SharedTally,
        random: fastrand::Rng,
    ) -> Self {
        Self {
            rules,
            trial,
            tally,
            random,
            now: Timestamp::EPOCH,
            items: Vec::new(),
            instances: Instances::default(),
            blocks: HashMap::new(),
            gaps: Gaps::default(),
            stopped: HashSet::new(),
            open: Vec::new(),
            wave: Vec::new(),
            waves: 0,
        }
    }

    /// True when the order key of a message waits for another one.
    pub(super) fn is_held(&self, item: &Item) -> bool {
        item.order_key.as_ref().is_some_and(|key| {
            let blocked = |block: &Block| !block.lets_pass(item.claimed.message.id);
            self.stopped.contains(key) || self.blocks.get(key).is_some_and(blocked)
        })
    }

    fn reads_of_wave(&self) -> Needs {
        let mut needs = Needs::default();
        let mut asked_for = HashSet::new();
        for item in self.wave.iter().map(|place| &self.items[*place]) {
            match &item.taker {
                Taker::Process(asked) => {
                    let key = &asked.instance;
                    if !self.instances.knows(key) && asked_for.insert(key) {
                        needs.states.push(key.clone());
                    }
                    // A query may be what the database refused; its answer is not needed any more.
                    if self.trial.verdict_on(item.claimed.message.id).is_none() {
                        needs.facts.extend_from_slice(asked.question.facts());
                    }
                }
                Taker::Handler(name) if self.may_call(item) => {
                    let message = item.claimed.message.id;
                    needs.handlers.push(HandlerCall { message, handler: name.clone() });
                }
                _ => {}
            }
        }
        if self.waves == 0 {
            let keys: HashSet<_> = self.items.iter().filter_map(|i| i.order_key.as_ref()).collect();
            needs.blocks = keys.into_iter().cloned().collect();
            needs.blocks.sort_unstable();
            needs.passed_over = passed_over::keys_of(&self.items);
        }
        needs
    }

    /// A handler writes as soon as it is called, so all that speaks against it is asked before.
    fn may_call(&self, item: &Item) -> bool {
        !self.is_held(item) && self.trial.verdict_on(item.claimed.message.id).is_none()
    }
}

impl BatchLogic for Batch {
    fn claimed(&mut self, batch: ClaimedBatch) {
        self.now = batch.now;
        let rules = &self.rules;
        self.items = batch.messages.into_iter().map(|c| Item::open(c, rules)).collect();
        let ids: Vec<InboxId> = self.items.iter().map(|item| item.claimed.message.id).collect();
        self.open = (0..ids.len()).filter(|place| self.trial.takes(ids[*place])).collect();
        self.tally.claimed(ids, &self.items);
    }

    fn needs(&mut self) -> Option<Needs> {
        if self.open.is_empty() {
            return self.trial.last_look(&self.items);
        }
        self.wave = waves::next(&self.items, &self.open, self.waves == 0);
        let needs = self.reads_of_wave();
        self.waves += 1;
        Some(needs)
    }

    fn decide(&mut self, mut found: Found) -> Changes {
        let wave = std::mem::take(&mut self.wave);
        if self.waves == 1 {
            self.blocks = std::mem::take(&mut found.blocks);
            self.gaps.learn(std::mem::take(&mut found.passed_over));
        }
        for item in wave.iter().map(|place| &self.items[*place]) {
            if let Some(key) = item.instance().filter(|key| !self.instances.knows(key)) {
                match found.states.remove_entry(key) {
                    Some((key, row)) => self.instances.learn(key, Some(row)),
                    None => self.instances.learn(key.clone(), None),
                }
            }
        }
        // Both are in order.
        let mut decided = wave.iter().peekable();
        self.open.retain(|place| decided.next_if_eq(&place).is_none());
        let mut changes = Changes::default();
        for place in wave {
            self.decide_one(place, &mut found, &mut changes);
        }
        changes.states = self.instances.take_writes();
        changes
    }
}
