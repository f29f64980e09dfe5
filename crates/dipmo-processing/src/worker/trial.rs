//! Batches that look for the message that the database refuses.
//!
//! A refused row takes the whole batch back. To find whose it is, the batch is tried again up to
//! some message and no further, without ever being committed: what it would leave unsettled rolls
//! it back. The smallest beginning that is refused ends with the culprit; the next batch fails that
//! one message, and its neighbours go on.

use std::collections::HashMap;
use std::sync::Arc;

use dipmo_domain::{Failure, InboxId};
use dipmo_store::Needs;

use super::item::Item;

/// How a batch differs from a plain one.
#[derive(Clone, Default)]
pub(crate) struct Trial {
    /// Messages that the database refused, and what it said.
    pub(crate) convicted: Arc<HashMap<InboxId, Failure>>,
    /// Decide up to this one only, write, and roll back.
    pub(crate) up_to: Option<InboxId>,
    looked: bool,
}

impl Trial {
    /// A plain batch, but for messages that were convicted before.
    pub(crate) fn plain(convicted: &Arc<HashMap<InboxId, Failure>>) -> Self {
        Self { convicted: Arc::clone(convicted), ..Self::default() }
    }

    /// A batch that stops behind a message, and is never committed unless that is all of it.
    pub(crate) fn up_to(last: InboxId, convicted: &Arc<HashMap<InboxId, Failure>>) -> Self {
        Self { up_to: Some(last), ..Self::plain(convicted) }
    }

    /// True for a message that this batch decides.
    pub(crate) fn takes(&self, message: InboxId) -> bool {
        self.up_to.is_none_or(|last| message <= last)
    }

    /// What the database said about a message.
    pub(crate) fn verdict_on(&self, message: InboxId) -> Option<Failure> {
        self.convicted.get(&message).cloned()
    }

    /// A read behind the last wave, so that a store that sends writes with the reads of the next
    /// wave sends them: only then the database can refuse them.
    pub(crate) fn last_look(&mut self, items: &[Item]) -> Option<Needs> {
        if self.up_to.is_none() || self.looked {
            return None;
        }
        self.looked = true;
        let blocks = items.iter().filter_map(|item| item.order_key.clone()).take(1).collect();
        Some(Needs { blocks, ..Needs::default() })
    }
}
