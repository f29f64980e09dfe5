//! What is left of answers that did not fit into one page.

use std::collections::VecDeque;
use std::sync::Arc;

use super::run::Scope;
use super::select::Shape;
use crate::org::id::{IdText, RecordId};

/// A user has no more open cursors than this: the oldest is closed by the next.
const MAX_OPEN: usize = 10;

/// The open cursors of an org.
#[derive(Debug, Default)]
pub(crate) struct Cursors {
    opened: u64,
    open: VecDeque<(IdText, Arc<Found>)>,
}

/// The records that a query found, in order.
#[derive(Debug)]
pub(crate) struct Found {
    pub(super) shape: Shape,
    pub(super) records: Vec<RecordId>,
    pub(super) scope: Scope,
}

impl Cursors {
    /// Keeps what was found under a new id.
    pub(super) fn open(&mut self, found: Arc<Found>) -> IdText {
        self.opened += 1;
        let id = IdText::new(*b"01g", self.opened);
        if self.open.len() == MAX_OPEN {
            self.open.pop_front();
        }
        self.open.push_back((id, found));
        id
    }

    /// What was found, unless the cursor was closed.
    pub(super) fn find(&self, id: &str) -> Option<(IdText, Arc<Found>)> {
        let cursor = self.open.iter().find(|(open, _)| open.as_str() == id)?;
        Some((cursor.0, Arc::clone(&cursor.1)))
    }
}
