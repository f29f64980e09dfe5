//! Decoding messages again, by somebody else's rules.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dipmo_domain::{Failure, InboxId, StoreError};
use dipmo_inbox::{Identity, Message, NewMessage, Record};
use dipmo_store::admin::{OperationItem, Performed};

use super::performance::Performance;
use crate::telling;

/// Knows the rules by which messages are decoded now.
pub trait Redecode: Send + Sync {
    /// A stored message as it is decoded now; `None` when nobody here can tell.
    fn decode_again(&self, message: &Message) -> Option<NewMessage>;
}

impl Performance {
    /// Reads messages, decodes them again, and takes them as that. A message that is gone, and one that
    /// cannot be decoded, has its result as well: nobody has to look for it again.
    pub(super) async fn reparse(
        &mut self,
        items: &[OperationItem],
    ) -> Result<Performed, StoreError> {
        let store = &self.means.store;
        let (mut messages, mut gone, mut panicked) = (Vec::new(), Vec::new(), Vec::new());
        for id in items.iter().map(|item| InboxId(item.id)) {
            match self.patience.call("message", || store.message(id)).await? {
                Some(row) => messages.push((id, self.decode(&row.message, &mut panicked))),
                None => gone.push(id),
            }
        }
        telling::decoder_panicked(&panicked);
        let (store, lease) = (&self.means.store, &self.lease);
        let take = || store.perform_reparse(lease, &messages, &gone);
        self.patience.call("perform_reparse", take).await
    }

    /// A decoder that panics would do so for this message again and again, and nothing behind it would
    /// ever be met: so the message is one that cannot be decoded.
    fn decode(&self, message: &Message, panicked: &mut Vec<InboxId>) -> NewMessage {
        let decode = AssertUnwindSafe(|| self.means.decoder.decode_again(message));
        let decoded = catch_unwind(decode).unwrap_or_else(|_| {
            panicked.push(message.id);
            None
        });
        decoded.unwrap_or_else(|| undecodable(message))
    }
}

/// Says of a message that it cannot be decoded, and no more: a store keeps nothing else of it.
fn undecodable(message: &Message) -> NewMessage {
    let record = Record {
        topic: message.topic.clone(),
        partition: message.partition,
        offset: message.offset,
        ..Record::default()
    };
    let failure = Failure::new("UNDECODABLE", "nobody here can decode it");
    NewMessage::undecodable(&record, &Identity::default(), failure)
}
