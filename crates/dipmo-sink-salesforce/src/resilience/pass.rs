//! A call on its way through the levels.
//!
//! Room and turns are waited for, the object's before the org's: who waits for its object keeps
//! nothing that others of the org need. Then everything is decided at once, so that nothing slips
//! through a breaker that opened meanwhile, and a call that is not made costs nobody a turn.

use std::sync::Arc;

use tokio::time::Instant;

use super::Held;
use super::breaker::Ticket;
use super::bulkhead::Seat;
use super::level::{Level, Turn};
use super::org::Org;
use super::quota::Family;

/// How a call ended, as far as the destination's health goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It was answered, also when the answer was about rows that were refused.
    Ok,
    /// No answer, or one that says that the destination is not well: counts for the breaker.
    Failed,
    /// The destination is well and refused: wrong data, wrong login, no allowance.
    Refused,
    /// Too many calls at once: the org's room is halved. To the breaker it is an answer.
    Crowded,
}

/// A call that may be made now. To be kept until it has ended; dropped before, it has failed.
#[derive(Debug)]
#[must_use = "a pass that is dropped counts as a call that failed"]
pub(crate) struct Pass {
    /// The object first, the org last; empty once the end was told.
    entered: Vec<Entered>,
    began: Instant,
    /// The object, for the org's breaker.
    number: u32,
    /// Looks at its allowance when the call has ended.
    org: Option<Arc<Org>>,
}

#[derive(Debug)]
struct Entered {
    level: Arc<Level>,
    ticket: Ticket,
    _seat: Seat,
}

/// Waits until a call may be made: the levels in the order in which they are entered.
pub(super) async fn enter(levels: &[&Arc<Level>], families: &[Family]) -> Result<Pass, Held> {
    for level in levels {
        level.check(families, Instant::now()).map_err(|held| level.turned_away(held))?;
    }
    let mut waited = Vec::with_capacity(levels.len());
    for level in levels {
        let seat = level.sit().await.map_err(|held| level.turned_away(held))?;
        let turn = level.keep_turn().await.map_err(|held| level.turned_away(held))?;
        waited.push((Arc::clone(level), seat, turn));
    }
    begin(waited, families)
}

/// Decides at all levels at once.
fn begin(waited: Vec<(Arc<Level>, Seat, Turn)>, families: &[Family]) -> Result<Pass, Held> {
    let now = Instant::now();
    let mut states: Vec<_> = waited.iter().map(|(level, ..)| level.lock()).collect();
    for (state, (level, ..)) in states.iter().zip(&waited) {
        if let Err(held) = state.check(&level.target, families, now) {
            let held = level.turned_away(held);
            // Turns are given back under the same locks.
            drop(states);
            return Err(held);
        }
    }
    let begun: Vec<_> = states
        .iter_mut()
        .map(|state| (state.breaker.state(), state.begin(now), state.breaker.state()))
        .collect();
    drop(states);
    let number = waited.first().map_or(0, |(level, ..)| level.number);
    let entered =
        waited.into_iter().zip(begun).map(|((level, seat, turn), (before, ticket, after))| {
            turn.used();
            level.tell_breaker(before, after);
            Entered { level, ticket, _seat: seat }
        });
    Ok(Pass { entered: entered.collect(), began: now, number, org: None })
}

impl Pass {
    pub(super) fn of(mut self, org: &Arc<Org>) -> Self {
        self.org = Some(Arc::clone(org));
        self
    }

    /// Tells how the call ended.
    pub(crate) fn ended(mut self, how: How) {
        self.tell(how);
        if let Some(org) = &self.org {
            org.watch_usage();
        }
    }

    fn tell(&mut self, how: How) {
        let now = Instant::now();
        let entered = std::mem::take(&mut self.entered);
        // The last level is the org, and the complaint is about all that it was asked at once.
        if let (How::Crowded, Some(org)) = (how, entered.last()) {
            org.level.crowded(self.began, now);
        }
        for Entered { level, ticket, .. } in &entered {
            let well = how != How::Failed;
            level.change(|state| state.breaker.ended(ticket, self.number, well, now));
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.tell(How::Failed);
    }
}
