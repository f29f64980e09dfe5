//! Processing messages once more.

use dipmo_domain::{InboxId, StoreError};
use dipmo_inbox::replay_id;
use dipmo_store::Acted;
use dipmo_store::admin::{OperationItem, Performed, replayable};

use super::performance::Performance;

impl Performance {
    /// Reads messages and stores them once more. What was processed stays processed, and what is erased meanwhile the
    /// store leaves alone; that each is stored once is by its id, and by the operation.
    pub(super) async fn replay(
        &mut self,
        items: &[OperationItem],
    ) -> Result<Performed, StoreError> {
        let (store, operation) = (&self.means.store, &self.lease.operation);
        let horizon = self.patience.call("dedupe_horizon", || store.dedupe_horizon()).await?;
        let (mut again, mut left) = (Vec::new(), Vec::new());
        for id in items.iter().map(|item| InboxId(item.id)) {
            let row = self.patience.call("message", || store.message(id)).await?;
            let mut becomes = replayable(row.as_ref(), horizon);
            if becomes == Acted::Done {
                let name = replay_id(operation.id.0, id);
                let message = row.map(|row| row.message.again(&name, !operation.force));
                match message.and_then(Result::ok).flatten() {
                    Some(message) => again.push((id, message)),
                    // Something else than dipmo wrote the row.
                    None => becomes = Acted::AlreadyEnded,
                }
            }
            if becomes != Acted::Done {
                left.push((id, becomes.word()));
            }
        }
        let (store, lease) = (&self.means.store, &self.lease);
        let store = || store.perform_replay(lease, &again, &left);
        self.patience.call("perform_replay", store).await
    }
}
