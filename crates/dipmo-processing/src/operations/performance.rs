//! One operation, batch by batch.

use dipmo_domain::StoreError;
use dipmo_store::admin::{
    Act, Operation, OperationItem, OperationLease, OperationState, Performed,
};
use dipmo_store::{MOST_AT_ONCE, Side};
use tokio::time::Instant;

use super::means::Means;
use super::pace::Pace;
use super::patience::Patience;

/// An operation in hand.
pub(super) struct Performance {
    pub(super) means: Means,
    pub(super) lease: OperationLease,
    pub(super) patience: Patience,
}

impl Performance {
    /// Performs until the operation does not run any more, or it is to stop. Answers how it stands then,
    /// and tells so on its way. The lease is still there.
    pub(super) async fn run(
        &mut self,
        mut progress: impl FnMut(&Operation),
    ) -> Result<Operation, StoreError> {
        let mut operation = self.lease.operation.clone();
        progress(&operation);
        while operation.state == OperationState::Running && !self.patience.stop.is_cancelled() {
            operation = self.batch(&operation).await?;
            progress(&operation);
        }
        if operation.state != OperationState::Running {
            let Operation { id, state, met, done, .. } = &operation;
            let (id, state) = (id.0, state.as_str());
            tracing::info!(operation = id, state, met, done, "an operation runs no more");
        }
        if operation.state == OperationState::Ended {
            self.means.metrics.operations(|figures| figures.ended += 1);
        }
        Ok(operation)
    }

    /// A batch, and the rest that the rate asks for; then how the operation stands.
    async fn batch(&mut self, before: &Operation) -> Result<Operation, StoreError> {
        let (pace, began) = (Pace(before.per_second), Instant::now());
        let items = self.next_items(pace).await?;
        if !items.is_empty() {
            let performed = self.perform(&items).await?;
            if before.met + performed.met < before.items {
                self.patience.rests(pace.next(began, items.len())).await;
            }
        }
        let (store, lease) = (&self.means.store, &self.lease);
        let renew = || store.renew_operation(lease, self.means.options.lease);
        let after = self.patience.call("renew_operation", renew).await?;
        self.means.metrics.operations(|figures| figures.went_on(before, &after));
        if items.is_empty() && after.state == OperationState::Running {
            let (met, all) = (after.met, after.items);
            let problem = format!("{met} of {all} items were met, and no other is found");
            return Err(StoreError::Unexpected { statement: "next_items", problem });
        }
        Ok(after)
    }

    async fn next_items(&mut self, pace: Pace) -> Result<Vec<OperationItem>, StoreError> {
        let (store, lease, options) = (&self.means.store, &self.lease, &self.means.options);
        let reads = self.decodes() || self.replays();
        let most = if reads { options.decoded } else { options.batch };
        let limit = pace.batch(most.min(u32::try_from(MOST_AT_ONCE).unwrap_or(u32::MAX)));
        self.patience.call("next_items", || store.next_items(lease, limit)).await
    }

    async fn perform(&mut self, items: &[OperationItem]) -> Result<Performed, StoreError> {
        if self.decodes() {
            return self.reparse(items).await;
        }
        if self.replays() {
            return self.replay(items).await;
        }
        let (store, lease) = (&self.means.store, &self.lease);
        self.patience.call("perform", || store.perform(lease, items)).await
    }

    fn replays(&self) -> bool {
        let Operation { act, side, .. } = self.lease.operation;
        act == Act::Replay && side == Side::Inbox
    }

    /// There is nothing to decode of a unit, and a message may have the same number.
    fn decodes(&self) -> bool {
        let Operation { act, side, .. } = self.lease.operation;
        act == Act::Reparse && side == Side::Inbox
    }
}
