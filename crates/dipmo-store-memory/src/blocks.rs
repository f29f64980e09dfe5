//! Keys that wait for their head: the same for inbox and outbox.

use dipmo_domain::InboxId;
use dipmo_store::Block;

use crate::database::Map;
use crate::exceptions::{Exception, Exceptions};
use crate::side::Side;

/// A row of `inbox_block` or `outbox_block`.
#[derive(Clone, Copy)]
pub(crate) struct BlockRow<Id> {
    pub(crate) head: Id,
    /// Up to here everything may pass; at or behind the head once that has ended.
    pub(crate) released_to: Option<Id>,
}

impl<Id: Copy + Ord> BlockRow<Id> {
    pub(crate) fn has_ended(&self) -> bool {
        self.released_to.is_some_and(|last| last >= self.head)
    }

    fn lets_pass(&self, id: Id) -> bool {
        id == self.head || self.released_to.is_some_and(|last| id <= last)
    }
}

/// What a settlement means for the key of what it settles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The key waits for it from now on.
    Blocks,
    /// Nobody waits for it: if its key did, that ends.
    Ends,
    /// Nothing changes.
    Waits,
}

/// All blocks of one side.
#[derive(Clone)]
pub(crate) struct Blocks<S: Side>(pub(crate) Map<S::Key, BlockRow<S::Id>>);

impl<S: Side> Blocks<S> {
    pub(crate) fn get(&self, key: &S::Key) -> Option<BlockRow<S::Id>> {
        self.0.get(key).copied()
    }

    /// `HELD_BEHIND`: the head of the key of a row that is held.
    pub(crate) fn held_behind(&self, row: &Exception<S>) -> Option<S::Id> {
        let key = row.key.as_ref().filter(|_| row.held)?;
        self.get(key).map(|block| block.head)
    }

    /// True when its key waits for it.
    pub(crate) fn heads(&self, row: &Exception<S>, id: S::Id) -> bool {
        let block = row.key.as_ref().and_then(|key| self.get(key));
        block.is_some_and(|block| block.head == id && !block.has_ended())
    }

    /// A later one that went on before it: the one that was noted, or else the head of its key.
    pub(crate) fn overtaken_by(
        &self,
        row: &Exception<S>,
        id: S::Id,
        comes_after: impl FnOnce(S::Id) -> bool,
    ) -> Option<S::Id> {
        let block = row.key.as_ref().and_then(|key| self.get(key));
        let waits = block.filter(|block| !block.has_ended() && !block.lets_pass(id));
        row.overtaken_by.or(waits.map(|block| block.head).filter(|head| comes_after(*head)))
    }

    /// The head that `id` has to wait for, if its key is blocked and does not let it pass.
    pub(crate) fn blocked_by(&self, key: &S::Key, id: S::Id) -> Option<S::Id> {
        let block = self.get(key)?;
        (!block.lets_pass(id)).then_some(block.head)
    }

    /// Makes the key wait for `id`, or notes in `ended` that its wait is over. A key that waits
    /// already waits for the earlier of the two, unless its head has ended.
    pub(crate) fn settle(&mut self, ended: &mut Vec<S::Key>, key: &S::Key, id: S::Id, fate: Fate) {
        let is_head = self.0.get(key).is_some_and(|block| block.head == id);
        match fate {
            Fate::Blocks => {
                let waiting = self.0.get(key).filter(|block| !block.has_ended());
                let waiting = waiting.filter(|_| !ended.contains(key));
                let head = waiting.map_or(id, |block| block.head.min(id));
                self.0.insert_mut(key.clone(), BlockRow { head, released_to: None });
                ended.retain(|other| other != key);
            }
            Fate::Ends if is_head => ended.push(key.clone()),
            Fate::Ends | Fate::Waits => {}
        }
    }

    /// Makes the key wait for one that cannot be decoded, or is decoded only now; what comes before
    /// it may pass. A key that waits already waits for the earlier of the two while it would let this
    /// one pass: its head was never met, or has ended.
    pub(crate) fn bar(&mut self, key: &S::Key, id: S::Id) {
        let passes = |block: BlockRow<S::Id>| block.released_to.is_some_and(|last| id <= last);
        if self.get(key).is_none_or(passes) {
            self.0.insert_mut(key.clone(), BlockRow { head: id, released_to: Some(S::before(id)) });
        }
    }

    /// Lifts the block of an ended head behind which nothing is held; false leaves it in place.
    pub(crate) fn lift_empty(&mut self, exceptions: &Exceptions<S>, key: &S::Key) -> bool {
        let is_empty = exceptions.held(key).next().is_none();
        if is_empty {
            self.0.remove_mut(key);
        }
        is_empty
    }

    /// The keys whose head has ended and that still hold something.
    pub(crate) fn being_lifted(&self) -> Vec<S::Key> {
        let ended = self.0.iter().filter(|(_, block)| block.has_ended());
        ended.map(|(key, _)| key.clone()).collect()
    }
}

impl<S: Side> Default for Blocks<S> {
    fn default() -> Self {
        Self(Map::default())
    }
}

impl From<BlockRow<InboxId>> for Block {
    fn from(row: BlockRow<InboxId>) -> Self {
        Self { head: row.head, released_to: row.released_to }
    }
}
