//! Letting go what is held behind a head that ended: the same for inbox and outbox.

use dipmo_domain::Timestamp;

use crate::blocks::{BlockRow, Blocks};
use crate::exceptions::{Exception, Exceptions};
use crate::side::Side;

/// How much is let go in the transaction in which a head ends; `release` does the rest.
pub(crate) const RELEASED_AT_ONCE: usize = 500;

/// What became ready again, and whether more is held behind heads that have ended.
pub(crate) struct LetGo<Id> {
    pub(crate) ready: Vec<Id>,
    pub(crate) count: usize,
    pub(crate) releasing: bool,
}

impl<S: Side> Blocks<S> {
    /// Lets go at most `limit` of what is held behind the ended heads of `keys`, in order, and
    /// lifts each block with the last of them.
    pub(crate) fn let_go(
        &mut self,
        exceptions: &mut Exceptions<S>,
        keys: &[S::Key],
        limit: usize,
        now: Timestamp,
    ) -> LetGo<S::Id> {
        let mut done = LetGo { ready: Vec::new(), count: 0, releasing: false };
        for key in keys {
            let Some(block) = self.get(key) else { continue };
            let mut last = block.released_to.unwrap_or(block.head).max(block.head);
            let held: Vec<S::Id> = exceptions.held(key).take(limit - done.count).collect();
            let bars =
                |id: &S::Id| exceptions.get(*id).is_some_and(|row| S::is_barrier(&row.columns));
            let barrier = held.iter().copied().find(bars);
            let held: Vec<S::Id> = held.into_iter().take_while(|id| Some(*id) != barrier).collect();
            done.count += held.len();
            for id in held {
                last = last.max(id);
                if free(exceptions, id, now) {
                    done.ready.push(id);
                }
            }
            if let Some(head) = barrier {
                // Its turn has come: the key waits for it from now on.
                let released_to = Some(S::before(head));
                self.0.insert_mut(key.clone(), BlockRow { head, released_to });
            } else if !self.lift_empty(exceptions, key) {
                self.0.insert_mut(key.clone(), BlockRow { released_to: Some(last), ..block });
                done.releasing = true;
            }
        }
        done
    }

    /// Ends the block of a key, and lifts it unless something is held behind it: that is to be let
    /// go later, and until then the key waits. True while it does.
    pub(crate) fn end(&mut self, exceptions: &Exceptions<S>, key: &S::Key) -> bool {
        let Some(block) = self.get(key) else { return false };
        let released_to = block.released_to.max(Some(block.head));
        self.0.insert_mut(key.clone(), BlockRow { released_to, ..block });
        !self.lift_empty(exceptions, key)
    }

    /// Makes one that is held although its key waits for nothing the head of its key, due now.
    pub(crate) fn head_unblocked(
        &mut self,
        exceptions: &mut Exceptions<S>,
        id: S::Id,
        now: Timestamp,
    ) {
        let stuck = exceptions.get(id).filter(|row| self.is_stuck(row)).cloned();
        if let Some((mut row, key)) = stuck.and_then(|row| Some((row.clone(), row.key?))) {
            row.held = false;
            row.due = Some(now);
            exceptions.put(id, row);
            self.0.insert_mut(key, BlockRow { head: id, released_to: None });
        }
    }

    /// Lets go those of `ids` that are held although their key waits for nothing; answers what is
    /// ready.
    pub(crate) fn free_unblocked(
        &self,
        exceptions: &mut Exceptions<S>,
        ids: &[S::Id],
        now: Timestamp,
    ) -> Vec<S::Id> {
        let mut ready = Vec::new();
        for id in ids {
            let is_stuck = exceptions.get(*id).is_some_and(|row| self.is_stuck(row));
            if is_stuck && free(exceptions, *id, now) {
                ready.push(*id);
            }
        }
        ready
    }

    /// True for what is held although its key waits for nothing.
    fn is_stuck(&self, row: &Exception<S>) -> bool {
        row.held && self.held_behind(row).is_none()
    }
}

/// Lets go one row: true when it is ready as if it had never been met, false when it is due
/// instead, because it was tried before.
fn free<S: Side>(exceptions: &mut Exceptions<S>, id: S::Id, now: Timestamp) -> bool {
    match exceptions.get(id).cloned() {
        Some(mut row) if row.attempts + row.retried > 0 => {
            row.held = false;
            row.due = Some(now);
            exceptions.put(id, row);
            false
        }
        _ => {
            exceptions.remove(id);
            true
        }
    }
}
