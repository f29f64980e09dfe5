//! One operation, performed here and now.

use dipmo_domain::StoreError;
use dipmo_store::admin::{Operation, OperationId, OperationState};
use tokio_util::sync::CancellationToken;

use super::performance::Performance;
use super::performer::Performer;

/// What became of an operation that was to be performed here and now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// It does not run any more: it ended, or somebody paused or cancelled it.
    Over(Operation),
    /// Somebody else performs it, or did and their lease has not run out yet.
    Elsewhere(Operation),
    /// It was to stop, and the operation waits for who goes on with it.
    Stopped(Operation),
    /// There is no such operation.
    NotFound,
}

impl Performer {
    /// Takes one operation and performs it here and now, where no instance may be there to do it.
    /// `progress` hears how it stands, first of all and after each batch.
    ///
    /// # Errors
    /// When the store does not let it go on; what was done stays done.
    pub async fn perform_one(
        &mut self,
        id: OperationId,
        progress: impl FnMut(&Operation) + Send,
        stop: CancellationToken,
    ) -> Result<Conclusion, StoreError> {
        let mut patience = self.patience(&stop);
        let take = || self.means.take(Some(id));
        let Some(lease) = patience.call("take_operation", take).await? else {
            return self.not_ours(id).await;
        };
        let mut performance = Performance { means: self.means.clone(), lease, patience };
        let went = performance.run(progress).await;
        self.means.give_back(&performance.lease).await;
        let operation = match went {
            Err(StoreError::Fenced { .. }) => return self.not_ours(id).await,
            went => went?,
        };
        let still_runs = operation.state == OperationState::Running;
        Ok(if still_runs { Conclusion::Stopped } else { Conclusion::Over }(operation))
    }

    /// How an operation stands that could not be taken, or was taken from us.
    async fn not_ours(&self, id: OperationId) -> Result<Conclusion, StoreError> {
        Ok(match self.means.store.operation(id).await? {
            None => Conclusion::NotFound,
            Some(it) if it.state == OperationState::Running => Conclusion::Elsewhere(it),
            Some(it) => Conclusion::Over(it),
        })
    }
}
